import { execFileSync } from "node:child_process";
import { afterAll, describe, expect, test } from "vitest";
import { createSandbox, defaultLimits } from "../create-sandbox.ts";
import { sandboxCases } from "../testing/index.ts";
import { wasiSandbox } from "./wasi-sandbox.ts";

describe("Python in WebAssembly, in a locked process", async () => {
  const sandbox = await createSandbox();
  afterAll(() => sandbox.close());
  for (const item of sandboxCases) test(item.name, () => item.run(sandbox));

  test("hashes and random numbers follow from the seed", async () => {
    const code = "import random\nprint(hash('a'), random.random(), list({'x', 'y', 'z'}))";
    const first = await sandbox.run({ code });
    expect((await sandbox.run({ code })).stdout).toBe(first.stdout);
    const other = wasiSandbox({ limits: defaultLimits, seed: 1 });
    expect((await other.run({ code })).stdout).not.toBe(first.stdout);
    await other.close();
  });
  test("sleeping takes time, not the processor", async () => {
    const { stdout } = await sandbox.run({
      code: "import time\na = time.time()\ntime.sleep(0.3)\nprint(0.29 < time.time() - a < 2)",
    });
    expect(stdout).toBe("True\n");
  });
});

test("after close no process is left, and runs are refused", async () => {
  const sandbox = wasiSandbox({ limits: defaultLimits, concurrency: 2 });
  const children = (): string[] =>
    execFileSync("ps", ["--ppid", String(process.pid), "-o", "args="], { encoding: "utf8" })
      .split("\n")
      .filter((line) => line.includes("wasi/child.mjs"));
  const before = children().length;
  await Promise.all([sandbox.run({ code: "" }), sandbox.run({ code: "" })]);
  expect(children().length).toBe(before + 2);
  await sandbox.close();
  await expect.poll(() => children().length).toBe(before);
  await expect(sandbox.run({ code: "" })).rejects.toFailWith("engine_failed");
});

test("limits out of range are refused", () => {
  expect(() => wasiSandbox({ limits: { ...defaultLimits, memoryMiB: 8 } })).toThrow(/memoryMiB is 8/u);
});
