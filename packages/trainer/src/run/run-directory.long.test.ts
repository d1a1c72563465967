import { existsSync } from "node:fs";
import { mkdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { LaconicError } from "@laconic/core";
import { episodeSchema, problemSchema } from "@laconic/core/schemas";
import { expect, test } from "vitest";
import { refusal } from "../../../../test/refusal.ts";
import { runFolder } from "../../test/run-folder.ts";
import { onePolicy, onlyPolicy, type TrainedPolicy } from "../spec/parts.ts";
import type { MetricSink } from "../sinks/metric-sink.ts";
import type { Metrics } from "../step-metrics.ts";
import { faultyFileSystem, tinyParts, tinyRun, type TinyRunOptions } from "../testing/index.ts";
import { readLines } from "../reading/rows.ts";
import type { FileSystem } from "@laconic/core/files";
import { nodeFileSystem } from "#platform";
import { openRun } from "./run-directory.ts";
import { eachEpisode, folderSource } from "../reading/index.ts";
import { episodeMembers } from "../testing/edit-episodes.ts";

const settings = {
  steps: 6,
  problemsPerStep: 2,
  episodesPerProblem: 3,
  evaluation: { every: 0, problems: 3, transcripts: 1 },
  checkpoint: { every: 2, keep: 2 },
};

function runIn(directory: string, options: Partial<TinyRunOptions> = {}): ReturnType<typeof tinyRun> {
  return tinyRun({ directory, settings, ...options });
}

function open(directory: string, options: Partial<Parameters<typeof openRun>[0]> = {}): ReturnType<typeof openRun> {
  return openRun({ directory, config: { a: 1 }, environment: {}, keepCheckpoints: 2, now: () => 0, ...options });
}

const checkpoint = (directory: string, step: number): string =>
  join(directory, "checkpoints", `step-${String(step).padStart(8, "0")}`);

test("a run leaves its configuration, rows, transcripts and the newest checkpoints, and no lock", async () => {
  const directory = await runFolder();
  await runIn(directory, { environment: { device: "none" } });
  const json = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(directory, name), "utf8"));
  expect(await json("config.json")).toMatchObject({ steps: 6, seed: 7 });
  expect(await json("environment.json")).toEqual({ device: "none" });
  const rows = async (name: string): Promise<unknown[]> =>
    (await readLines(nodeFileSystem, join(directory, name))).map((row) => row["step"]);
  expect(await rows("metrics.jsonl")).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await rows("timing.jsonl")).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await rows("evaluations.jsonl")).toEqual([0, 6]);
  const members = await episodeMembers(nodeFileSystem, directory);
  expect(members.map(({ head, content }) => [head.kind, head.step, content["step"]])).toEqual([
    ["evaluation", 0, 0],
    ...[1, 2, 3, 4, 5, 6].map((step) => ["step", step, step]),
    ["evaluation", 6, 6],
  ]);
  expect([2, 4, 6].map((step) => existsSync(checkpoint(directory, step)))).toEqual([false, true, true]);
  expect(await readFile(join(directory, "checkpoints", "LATEST"), "utf8")).toBe("step-00000006\n");
  expect(existsSync(join(directory, "LOCK"))).toBe(false);
});

test("a run's directory is not overwritten; a directory without a run is not resumed", async () => {
  const directory = await runFolder();
  expect(await refusal(runIn(directory, { resume: true }))).toFailWith("run_missing", { directory });
  await runIn(directory);
  expect(await refusal(open(directory))).toFailWith("run_exists", { directory });
  expect((await refusal(runIn(directory))).message).toContain("resume it");
});

test("a stored training episode has its reward by term", async () => {
  const directory = await runFolder();
  await runIn(directory, { settings: { ...settings, evaluation: { every: 3, problems: 3, transcripts: 2 } } });
  let rows = 0;
  for await (const { problem, reward, terms = {}, ...row } of eachEpisode(folderSource(directory), "step")) {
    rows += 1;
    const episode = episodeSchema.parse(row.episode);
    const written = episode.utterances.reduce((sum, { writtenTokens }) => sum + writtenTokens, 0);
    expect(terms["tokens"]).toBeCloseTo(-0.1 * written, 12);
    expect(reward).toBeCloseTo(
      Object.values(terms).reduce<number>((sum, term) => sum + (term ?? Number.NaN), 0),
      12,
    );
    expect(problemSchema.parse(problem).id).toBe(episode.problemId);
  }
  expect(rows).toBe(6 * settings.problemsPerStep * settings.episodesPerProblem);
});

test("times and speed have a separate file", async () => {
  const directory = await runFolder();
  let time = 0;
  await runIn(directory, { now: () => (time += 500) });
  const [timing, metrics] = await Promise.all(
    ["timing.jsonl", "metrics.jsonl"].map((name) => readLines(nodeFileSystem, join(directory, name))),
  );
  expect(timing?.[0]).toEqual({
    step: 1,
    "timing_s/rollout": 0.5,
    "timing_s/old_log_probs": 0.5,
    "timing_s/update": 0.5,
    "perf/tokens_per_s": 2 * (metrics?.[0]?.["tokens/total"] as number),
  });
  expect(Object.keys(metrics?.[0] ?? {}).filter((name) => /timing|perf/.test(name))).toEqual([]);
});

test("a checkpoint is on disk before it is named: every file of the model is synced before the rename", async () => {
  const calls: string[] = [];
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    syncFile: async (path) => {
      calls.push(`sync ${basename(path)}`);
      await nodeFileSystem.syncFile(path);
    },
    rename: async (from, to) => {
      if (from.endsWith(".partial")) calls.push(`rename ${basename(to)}`);
      await nodeFileSystem.rename(from, to);
    },
  };
  await runIn(await runFolder(), { fileSystem });
  const names = ["beginning", ...[2, 4, 6].map((step) => `step-0000000${step}`)];
  expect(calls).toEqual(names.flatMap((name) => ["sync table.json", `rename ${name}`]));
});

test("a path that cannot be a directory is run_unwritable, with the reason", async () => {
  const directory = await runFolder();
  await writeFile(directory, "a file");
  for (const path of [directory, join(directory, "under", "it")]) {
    const error = await refusal(open(path));
    expect([error.code, error.detail["directory"]]).toEqual(["run_unwritable", path]);
    expect(error.message).toMatch(/cannot be written: E(NOTDIR|EXIST)/);
  }
});

test.each(["ENOSPC", "EROFS"] as const)(
  "%s at any write is run_unwritable, and what was saved stays whole",
  async (code) => {
    const whole = await runFolder();
    await runIn(whole);
    const expected = await readFile(join(whole, "metrics.jsonl"), "utf8");
    const counting = faultyFileSystem();
    await runIn(await runFolder(), { fileSystem: counting });
    for (let call = 3; call < counting.calls; call += 5) {
      const directory = await runFolder();
      const error = await refusal(runIn(directory, { fileSystem: faultyFileSystem({ failWritesFrom: call, code }) }));
      expect([call, error.code, error.detail]).toEqual([call, "run_unwritable", { directory, reason: code }]);
      expect(error.message).toContain(code);
      if (!existsSync(checkpoint(directory, 2))) continue;
      await runIn(directory, { resume: true });
      expect(await readFile(join(directory, "metrics.jsonl"), "utf8")).toBe(expected);
    }
  },
);

test("a model that does not fit on the disk is run_unwritable", async () => {
  const parts = tinyParts();
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  const model = { ...parts.model, save: () => Promise.reject(full) };
  const { speak } = parts.policies[onlyPolicy] as TrainedPolicy;
  expect(await refusal(runIn(await runFolder(), { parts: onePolicy(parts.task, model, speak) }))).toMatchObject({
    code: "run_unwritable",
    detail: { reason: "ENOSPC" },
    cause: full,
  });
});

test("an unwritable file is reported with a remedy", async () => {
  const parts = tinyParts();
  const full = new LaconicError("run_unwritable", "a.safetensors cannot be written: ENOSPC", { file: "a.safetensors" });
  const model = { ...parts.model, save: () => Promise.reject(full) };
  const { speak } = parts.policies[onlyPolicy] as TrainedPolicy;
  const directory = await runFolder();
  expect(await refusal(runIn(directory, { parts: onePolicy(parts.task, model, speak) }))).toFailWith(
    "run_unwritable",
    `${full.message}; files saved before are complete; fix the cause, then resume, or start again without a checkpoint`,
    { directory },
  );
});

test("a failing disk is reported with run or file, and reason", async () => {
  const codes = new Set<string>();
  for (let failAt = 1; failAt <= 30; failAt++) {
    const run = runIn(await runFolder(), { fileSystem: faultyFileSystem({ failAt, code: "EIO" }) });
    const error: unknown = await run.then(
      () => null,
      (failed: unknown) => failed,
    );
    expect(error).toMatchObject({ detail: { reason: "EIO" } });
    codes.add((error as LaconicError).code);
  }
  expect([...codes].toSorted()).toEqual(["data_invalid", "run_unwritable"]);
});

const damages: readonly [string, (folder: string) => Promise<void>, RegExp][] = [
  ["cut short", (folder) => truncate(join(folder, "table.json"), 10), /has 10 bytes, expected \d+/],
  ["changed", (folder) => flipByte(join(folder, "table.json")), /does not match its checksum/],
  ["lost", (folder) => rm(join(folder, "table.json")), /ENOENT/],
  ["without a manifest", (folder) => rm(join(folder, "manifest.json")), /ENOENT/],
  ["of another version", (folder) => writeFile(join(folder, "manifest.json"), `{"version":2}`), /version/],
];

async function flipByte(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[20] = (bytes[20] as number) ^ 1;
  await writeFile(path, bytes);
}

test.each(damages)(
  "a newest checkpoint that is %s is replaced by the one before, with a warning",
  async (_, damage, reason) => {
    const directory = await runFolder();
    await runIn(directory);
    const expected = await readFile(join(directory, "metrics.jsonl"), "utf8");
    await damage(checkpoint(directory, 6));
    const warnings: string[] = [];
    const observer = { warning: (message: string) => void warnings.push(message) };
    const steps: number[] = [];
    await runIn(directory, {
      resume: true,
      observer: { ...observer, step: (metrics: Metrics) => void steps.push(metrics["step"] as number) },
    });
    expect(steps).toEqual([5, 6]);
    const own = warnings.filter((message) => message.includes("step-00000006"));
    expect(own).toHaveLength(1);
    expect(own[0]).toMatch(reason);
    expect(own[0]).toContain("trying the one before");
    expect(await readFile(join(directory, "metrics.jsonl"), "utf8")).toBe(expected);
  },
);

test("no whole checkpoint is checkpoint_corrupt; none at all is checkpoint_missing", async () => {
  const directory = await runFolder();
  await runIn(directory);
  for (const step of [4, 6]) await flipByte(join(checkpoint(directory, step), "table.json"));
  const error = await refusal(runIn(directory, { resume: true }));
  expect(error.code).toBe("checkpoint_corrupt");
  expect(error.message).not.toContain("trying the one before");
  expect(error.message).toContain("step-00000004");
  await rm(join(directory, "checkpoints"), { recursive: true });
  expect((await refusal(runIn(directory, { resume: true }))).code).toBe("checkpoint_missing");
});

test.each([
  [{ a: 1, b: { c: [1, 2] } }, { a: 1, b: { c: [1, 3] } }, "b.c.1"],
  [{ a: 1 }, { a: 2 }, "a"],
  [{ a: 1 }, { a: 1, b: null }, "b"],
  [{ a: { b: 1 } }, { a: null }, "a"],
])("a resume of %j with %j is checkpoint_mismatch at %s", async (stored, input, key) => {
  const directory = await runFolder();
  await (await open(directory, { config: stored })).close();
  const error = await refusal(open(directory, { config: input, resume: true }));
  expect([error.code, error.detail["key"]]).toEqual(["checkpoint_mismatch", key]);
  // The refusal released its lock.
  await (await open(directory, { config: stored, resume: true })).close();
});

const alive = (...pids: readonly number[]): ((pid: number) => boolean) => {
  return (pid) => pids.includes(pid);
};

test("a refused resume does not touch what a living process is writing", async () => {
  const directory = await runFolder();
  await open(directory, { processes: { pid: 1, host: hostname(), isAlive: alive() } });
  const partial = `${checkpoint(directory, 2)}.partial`;
  await mkdir(partial);
  await refusal(open(directory, { resume: true, processes: { pid: 2, host: hostname(), isAlive: alive(1) } }));
  expect(existsSync(partial)).toBe(true);
  await open(directory, { resume: true, processes: { pid: 3, host: hostname(), isAlive: alive() } });
  expect(existsSync(partial)).toBe(false);
});

test("a failing sink is switched off with one warning, and the others continue", async () => {
  const directory = await runFolder();
  const seen: number[] = [];
  let calls = 0;
  const broken: MetricSink = {
    name: "broken",
    log: () => {
      calls += 1;
      throw new Error("no route");
    },
    close: () => {
      calls += 1;
    },
  };
  const working: MetricSink = {
    name: "working",
    log: (_, step) => void seen.push(step),
    close: () => void seen.push(-1),
  };
  await runIn(directory, { sinks: [broken, working] });
  expect(calls).toBe(1);
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, -1]);
  const warnings = (await readLines(nodeFileSystem, join(directory, "warnings.jsonl"))).map((row) => row["message"]);
  expect(warnings.filter((message) => String(message).includes("broken"))).toEqual([
    "metric sink broken failed and is off: no route",
  ]);
});

test("a resumed run repeats its warnings without writing them twice", async () => {
  const directory = await runFolder();
  await (await open(directory)).close();
  await writeFile(join(directory, "checkpoints/LATEST"), "");
  const heard: string[] = [];
  for (const message of ["one", "one", "two"]) {
    const run = await open(directory, { resume: true, observer: { warning: (text) => void heard.push(text) } });
    await run.warn(message);
    await run.close();
  }
  expect(heard).toEqual(["one", "one", "two"]);
  expect(await readFile(join(directory, "warnings.jsonl"), "utf8")).toBe(`{"message":"one"}\n{"message":"two"}\n`);
});
