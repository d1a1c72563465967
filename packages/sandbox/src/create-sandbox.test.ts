import { expect, test } from "vitest";
import { defaultLimits } from "./create-sandbox.ts";
import type { Sandbox, SandboxJob, SandboxResult } from "./sandbox.ts";
import { selfTest } from "./self-test.ts";

/** A sandbox that runs nothing and answers as a test says. */
function answering(answer: (job: SandboxJob) => Partial<SandboxResult>): Sandbox {
  return {
    record: { kind: "wasi", version: "", sha256: "", limits: defaultLimits, network: "none", seed: 0 },
    concurrency: 1,
    run: async (job) => ({ status: "ok", exitCode: 0, stdout: "", stderr: "", seconds: 0, ...answer(job) }),
    close: async () => undefined,
  };
}

test("a sandbox that shows a secret, a limit that does not hold, and a run that leaks are all told", async () => {
  const leaky = answering(({ code }) => ({
    stdout: /laconic_grading/u.test(code)
      ? '{"calls": [], "unknown": 0, "outcome": "failed", "error": null}'
      : code.includes("dict(os.environ)")
        ? JSON.stringify(process.env)
        : "",
  }));
  const escaped = await selfTest(leaky);
  expect(escaped).toEqual([
    "read the environment",
    "an endless loop (ok)",
    "more memory than allowed (ok)",
    "more output than allowed (ok)",
    "a builtin patched for the next run",
  ]);
});

test("a grader that is fooled is told", async () => {
  const fooled = answering(({ code }) => ({
    stdout: code.includes("run_tests") ? '{"calls": [[[], []]], "unknown": 0, "outcome": "passed", "error": null}' : "",
  }));
  expect((await selfTest(fooled)).filter((name) => name.startsWith("grading: ")).length).toBeGreaterThan(10);
});
