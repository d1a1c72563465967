import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import { parseAppConfig, writtenConfig } from "@laconic/runtime";
import { laconic } from "../../test/laconic.ts";
import { smallRun } from "../../test/small-run.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const ownSink = fileURLToPath(new URL("../../../../examples/own-sink.ts", import.meta.url));

describe("sinks of a configuration", () => {
  test("are TensorBoard by default, without an entry in the file", () => {
    const config = parseAppConfig({});
    expect(config.sinks).toEqual(["tensorboard"]);
    expect(writtenConfig(config)).not.toHaveProperty("sinks");
    const none = parseAppConfig({ sinks: [] });
    expect(writtenConfig(none)).toMatchObject({ sinks: [] });
  });

  test.each([
    [["tensorbord"], /sinks\.0: unknown sink/u],
    [[{ wandb: { projct: "x" } }], /sinks\.0\.wandb: unknown setting projct; did you mean project/u],
  ])("rejects %j", (sinks, reason) => {
    expect(() => parseAppConfig({ sinks })).toThrow(reason);
  });
});

test("a run writes to TensorBoard, W&B and a custom sink, and survives a broken sink", async () => {
  const folder = await temporaryFolder();
  const run = join(folder, "run");
  const broken = join(folder, "broken.ts");
  await mkdir(folder, { recursive: true });
  await writeFile(broken, `export default { log() { throw new Error("no route for hf_0123456789"); } };\n`);
  vi.stubEnv("HF_TOKEN", "hf_0123456789");
  const sinks = JSON.stringify(["tensorboard", "wandb", ownSink, broken]);
  const { code, err } = await laconic("train", ...smallRun, "--run", run, "--device", "wasm", `sinks=${sinks}`);
  vi.unstubAllEnvs();
  expect([code, err.includes("metric sink broken failed and is off: no route for [redacted]")]).toEqual([0, true]);
  expect(await readFile(join(run, "validation.md"), "utf8")).toMatch(
    /^\| step of run \| accuracy \| tokens \|\n\| --- .*\n\| 0 \| [\d.]+ % \| [\d.]+ \|\n\| 2 \| [\d.]+ % \| [\d.]+ \|\n$/u,
  );
  // On wasm, a run has no device memory.
  const memory = (await readFile(join(run, "timing.jsonl"), "utf8")).match(/"perf\/\w+_memory_gib":[\d.]+/gu) ?? [];
  expect(memory).toHaveLength(2);
  for (const gib of memory.map((entry) => Number(entry.split('_gib":')[1]))) {
    expect(gib).toBeGreaterThan(0.02);
    expect(gib).toBeLessThanOrEqual(process.resourceUsage().maxRSS / 2 ** 20);
  }
  expect((await readdir(join(run, "tensorboard")))[0]).toMatch(/^events\.out\.tfevents\./u);
  expect((await readdir(join(run, "wandb")))[0]).toMatch(/^offline-run-\d{8}_\d{6}-[a-z0-9]{8}$/u);
  // What is shown elsewhere is no part of the run: other sinks continue it, and a changed file of one too.
  await writeFile(broken, `export default { log() {} };\n`);
  const resumed = await laconic("train", "--resume", run);
  expect([resumed.code, resumed.err]).toEqual([0, expect.not.stringContaining("sinks")]);
  expect(existsSync(join(run, "sources"))).toBe(false);

  const sent = await laconic("view", "send", run, broken, "--json");
  expect([sent.code, JSON.parse(sent.out)]).toEqual([0, { sent: run, sink: broken }]);
  await writeFile(broken, `export default { log() { throw new Error("no route"); } };\n`);
  const failed = await laconic("view", "send", run, broken);
  expect([failed.code, failed.err]).toEqual([1, expect.stringContaining("metric sink broken failed")]);
  expect(await laconic("view", "send", run, "tensorbord")).toMatchObject({
    code: 2,
    err: expect.stringContaining("unknown sink"),
  });
});
