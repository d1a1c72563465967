import { expect, test } from "vitest";
import { installedPackage } from "./installed-package.ts";

const missing = (name: string): Error =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /a.js`), { code: "ERR_MODULE_NOT_FOUND" });

test("a missing package is null; a damaged one, or one with a missing dependency, is an error", async () => {
  expect(await installedPackage("openai", async () => 4)).toBe(4);
  expect(await installedPackage("openai", () => Promise.reject(missing("openai")))).toBeNull();
  await expect(installedPackage("openai", () => Promise.reject(missing("form-data")))).rejects.toThrow("form-data");
  await expect(installedPackage("openai", () => Promise.reject(new SyntaxError("cut")))).rejects.toThrow("cut");
});
