import { expect, test } from "vitest";
import { programRunner, type Sandbox, type SandboxResult } from "./index.ts";

function sandboxOf(result: Partial<SandboxResult>): Sandbox {
  const limits = { seconds: 1, memoryMiB: 1, outputBytes: 1000, inputBytes: 100 };
  return {
    record: { kind: "wasi", version: "3", sha256: "", limits, network: "none", seed: 0 },
    concurrency: 1,
    run: async () => ({ status: "ok", exitCode: 0, stdout: "", stderr: "", seconds: 0, ...result }),
    close: async () => undefined,
  };
}

test("however a program ends is a value: what it printed, and the last line of its error", async () => {
  expect(await programRunner(sandboxOf({ stdout: "12\n" }))("print(12)")).toEqual({ output: "12\n", error: null });
  const raised = sandboxOf({ status: "exception", stderr: "Traceback\n  ...\nNameError: x\n" });
  expect(await programRunner(raised)("x")).toEqual({ output: "", error: "NameError: x" });
  expect(await programRunner(sandboxOf({ status: "time", stdout: "1" }))("")).toEqual({ output: "1", error: "time" });
  expect((await programRunner(sandboxOf({}))("#".repeat(101))).error).toContain("longer than 100 bytes");
});

test("a program that the machine did not run is not a failure", async () => {
  const undecided = programRunner(sandboxOf({ status: "undecided", stderr: "no processor" }));
  await expect(undecided("1")).rejects.toFailWith("engine_failed", "no processor");
});
