import { createSandbox, type Sandbox } from "@laconic/sandbox";
import { LaconicError } from "@laconic/core";
import { afterAll, describe, expect, test } from "vitest";
import { anyonesPython } from "../as-user.ts";
import { forgedGrades, honestPasses, wrongVerdicts } from "./forged-grades.ts";

const opened = await createSandbox({ kind: "bubblewrap", python: anyonesPython }).catch((error: unknown) => {
  if (LaconicError.is(error) && error.code === "device_unavailable") return error.message;
  throw error;
});

describe("runs under bubblewrap", () => {
  test("is available", ({ skip }) => skip(typeof opened === "string", typeof opened === "string" ? opened : ""));
  if (typeof opened === "string") return;
  const sandbox: Sandbox = opened;
  afterAll(() => sandbox.close());
  test("an honest program passes", async () => {
    expect(await honestPasses(sandbox)).toBe(true);
  });
  test.for(forgedGrades)("$name", async (forged) => {
    expect(await wrongVerdicts(sandbox, forged)).toEqual([]);
  });
});
