import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { whyFailed } from "../bench/src/processes.ts";

const stderrOf = (code: string): string =>
  spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" }).stderr;

test.each([
  ["throw new Error('no libtorch here')", "Error: no libtorch here"],
  [
    "class LaconicError extends Error { name = 'LaconicError'; detail = { device: 'cpu' } }; throw new LaconicError('no PyTorch')",
    "LaconicError: no PyTorch",
  ],
  ["const cause = new Error('inner'); throw new TypeError('outer', { cause })", "TypeError: outer"],
  ["process.stderr.write('just words\\n'); process.exit(1)", "just words"],
  ["process.exit(1)", "it printed nothing"],
])("%s fails with a reason", (code, reason) => {
  expect(whyFailed(stderrOf(code))).toContain(reason);
  expect(whyFailed(stderrOf(code))).not.toMatch(/^\}|Node\.js v/u);
});

test("takes Python's reason from after the stack", () => {
  const said = `Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    import trl\nModuleNotFoundError: No module named 'trl'\n`;
  expect(whyFailed(said)).toBe("ModuleNotFoundError: No module named 'trl'");
});

test("step.ts omits a side that cannot run and gives the reason", () => {
  const program = ["--import", import.meta.resolve("tsx"), join(import.meta.dirname, "../bench/src/step.ts")];
  const words = ["--sizes", "0.1M", "--threads", "1", "--rounds", "1", "--sides", "cpu"];
  const env = { ...process.env, LACONIC_PYTHON: "/nowhere/python", LACONIC_TORCH: "/nowhere" };
  const { stdout } = spawnSync(process.execPath, [...program, ...words], { encoding: "utf8", env });
  const skipped = stdout.split("\n").find((line) => line.includes('"why"')) ?? "";
  expect((JSON.parse(skipped) as { why: string }).why).toMatch(/^LaconicError: .*torch/iu);
});
