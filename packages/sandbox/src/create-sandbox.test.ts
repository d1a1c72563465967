import { expect, test } from "vitest";
import { createSandbox, defaultLimits } from "./create-sandbox.ts";
import type { Sandbox, SandboxJob, SandboxResult } from "./sandbox.ts";
import { selfTest } from "./self-test.ts";

function answering(answer: (job: SandboxJob) => Partial<SandboxResult>): Sandbox {
  return {
    record: { kind: "wasi", version: "", sha256: "", limits: defaultLimits, network: "none", seed: 0 },
    concurrency: 1,
    run: async (job) => ({ status: "ok", exitCode: 0, stdout: "", stderr: "", seconds: 0, ...answer(job) }),
    close: async () => undefined,
  };
}

test("a sandbox that shows a secret, a missing limit, and a leaking run are all reported", async () => {
  const leaky = answering(({ code }) => ({
    stdout: code.includes("dict(os.environ)")
      ? JSON.stringify(process.env)
      : code.includes("core_pattern")
        ? "reached /proc/sys/kernel/core_pattern\nreached /proc/sysrq-trigger\n"
        : "",
  }));
  const escaped = await selfTest(leaky);
  expect(escaped).toEqual([
    "read the environment",
    "open a kernel setting for writing (/proc/sys/kernel/core_pattern, and 1 more)",
    "an endless loop (ok)",
    "more memory than allowed (ok)",
    "more output than allowed (ok)",
    "a builtin patched for the next run",
  ]);
});

test("an attempt at the kernel that is killed midway is no pass", async () => {
  const dying = answering(({ code }) => ({ status: code.includes("_socket") ? "crashed" : "ok" }));
  expect(await selfTest(dying)).toContain("a socket of any family (ended with crashed)");
});

test("an aborted run opens no sandbox and ends soon", async () => {
  await expect(createSandbox({ signal: AbortSignal.abort() })).rejects.toFailWith("aborted");
  const controller = new AbortController();
  const opened = createSandbox({ signal: controller.signal });
  setImmediate(() => controller.abort());
  await expect(opened).rejects.toFailWith("aborted");
  expect(process.env).not.toHaveProperty("LACONIC_SANDBOX_SECRET");
});

test("a self-test that is aborted runs nothing more", async () => {
  const controller = new AbortController();
  let runs = 0;
  const stopping = answering(({ signal }) => {
    if (++runs === 3) controller.abort();
    return { status: signal?.aborted ? "aborted" : "ok" };
  });
  await expect(selfTest(stopping, controller.signal)).rejects.toFailWith("engine_failed");
  expect(runs).toBe(3);
});
