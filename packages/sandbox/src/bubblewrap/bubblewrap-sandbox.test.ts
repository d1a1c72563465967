import { afterAll, describe, expect, test } from "vitest";
import { createSandbox } from "../create-sandbox.ts";
import { sandboxCases } from "../testing/index.ts";
import { nativePython } from "./native-python.ts";

function reasonNot(): string | null {
  try {
    nativePython();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const missing = reasonNot();

describe("Python under bubblewrap", async () => {
  test("is available", ({ skip }) => skip(missing !== null, missing ?? ""));
  if (missing !== null) return;
  const sandbox = await createSandbox({ kind: "bubblewrap" });
  afterAll(() => sandbox.close());
  for (const item of sandboxCases) test(item.name, { timeout: 60_000 }, () => item.run(sandbox));
});

test("what is missing is said, and no weaker sandbox takes its place", async () => {
  await expect(createSandbox({ kind: "bubblewrap", python: "/no/such/python" })).rejects.toMatchObject({
    code: "device_unavailable",
    message: expect.stringMatching(/^the bubblewrap sandbox needs /u),
  });
});
