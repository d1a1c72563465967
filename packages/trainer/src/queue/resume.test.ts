import { runSpec } from "../spec/run-spec.ts";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unsyncedFiles } from "../../test/run-folder.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { slowly } from "../../test/slow-policy.ts";
import { parseTrainConfig } from "../settings/parse-train-config.ts";
import type { TrainingParts } from "../spec/parts.ts";
import type { Recorder } from "../run/recorder.ts";
import { openRun } from "../run/run-directory.ts";
import { readLines } from "../reading/rows.ts";
import { nodeFileSystem, nodeProcesses } from "../platform/node.ts";
import { ProcessKilled, tinyParts, tinySettings, virtualTimer, type VirtualTimer } from "../testing/index.ts";
import { train, type TrainResult } from "../train.ts";
import { eachEpisode, folderSource } from "../reading/index.ts";

const settings = {
  ...tinySettings,
  steps: 6,
  problemsPerStep: 3,
  episodesPerProblem: 2,
  prices: {},
  asynchronous: { maxLag: 2, stale: "drop", retries: 0 },
  evaluation: { every: 1, problems: 3, transcripts: 100 },
  checkpoint: { every: 2, keep: 3 },
};

function parts(): TrainingParts {
  const { task, ...rest } = tinyParts();
  const problems: TrainingParts["task"]["problems"] = (random, count) => {
    const name = random.split("name").integer(1e9);
    return task.problems(random, count).map((problem, i) => ({ ...problem, id: `${name}-${i}` }));
  };
  return { ...rest, task: { ...task, problems } };
}

/** Stops the virtual clock during file operations. */
function still(recorder: Recorder, timer: VirtualTimer): Recorder {
  return {
    clock: () => recorder.clock(),
    restore: (models) => timer.still(recorder.restore(models)),
    record: (stepRecord) => timer.still(recorder.record?.(stepRecord) ?? Promise.resolve()),
    step: (metrics, clock) => timer.still(recorder.step(metrics, clock)),
    rollouts: (index, group) => timer.still(recorder.rollouts(index, group)),
    dropped: (index, groups) => timer.still(recorder.dropped(index, groups)),
    evaluation: (evaluation, episodes) => timer.still(recorder.evaluation(evaluation, episodes)),
    checkpoint: (models, state) => timer.still(recorder.checkpoint(models, state)),
    warn: (message) => timer.still(recorder.warn(message)),
  };
}

async function runIn(directory: string, { resume = false, killAfter = Infinity } = {}): Promise<TrainResult> {
  const timer = virtualTimer();
  const config = parseTrainConfig(settings);
  const observer = {
    step: ({ step = 0 }: Record<string, number>): void => {
      if (step > killAfter) throw new ProcessKilled(`after step ${killAfter}`);
    },
  };
  const run = await openRun({
    directory,
    config: { ...config },
    environment: {},
    keepCheckpoints: 3,
    now: () => 0,
    resume,
    observer,
    fileSystem: unsyncedFiles,
    processes: { ...nodeProcesses, isAlive: () => false },
  });
  try {
    let calls = 0;
    const slow = slowly(parts(), timer, { fails: () => calls++ % 23 === 22 });
    return await timer.run(train(runSpec({ ...slow, settings: config }), { recorder: still(run, timer), timer }));
  } finally {
    await run.close();
  }
}

const rowsOf = (directory: string, name: string): Promise<Record<string, unknown>[]> =>
  readLines(nodeFileSystem, join(directory, name));

async function outcomes(directory: string): Promise<{ trained: string[]; dropped: string[] }> {
  const trained: string[] = [];
  for await (const { problem } of eachEpisode(folderSource(directory), "step")) trained.push(problem.id);
  const dropped = (await rowsOf(directory, "dropped.jsonl")).map((row) => row["problemId"] as string);
  return { trained: [...new Set(trained)], dropped };
}

test("a killed group trains once or is named: groups in flight run again", async () => {
  const folder = await temporaryFolder();
  const [first, second] = [join(folder, "first"), join(folder, "second")];
  await expect(runIn(first, { killAfter: 4 })).rejects.toBeInstanceOf(ProcessKilled);
  const state = JSON.parse(await readFile(join(first, "checkpoints/step-00000004/state.json"), "utf8")) as {
    queue: { next: number; again: number[] };
  };
  const { next, again } = state.queue;
  expect(again.length).toBeGreaterThan(0);
  await cp(first, second, { recursive: true });
  expect(await runIn(first, { resume: true })).toMatchObject({ steps: 6, interrupted: false });

  const warnings = (await rowsOf(first, "warnings.jsonl")).map((row) => row["message"]);
  expect(warnings).toContainEqual(expect.stringMatching(/^groups \d.* were in flight at step 4: .* played again/u));
  // With 3 groups per step, earlier problems were trained, dropped, or in flight at the checkpoint.
  const { trained, dropped } = await outcomes(first);
  expect(trained).toHaveLength(18);
  expect(dropped.length).toBeGreaterThan(0);
  expect(new Set([...trained, ...dropped]).size).toBe(trained.length + dropped.length);
  const upTo = (rows: readonly Record<string, unknown>[]): number =>
    rows.filter((row) => Number(row["step"]) <= 4).length;
  expect(12 + upTo(await rowsOf(first, "dropped.jsonl")) + again.length).toBe(next);
  // The same checkpoint and clock give the same continuation.
  await runIn(second, { resume: true });
  for (const name of ["metrics.jsonl", "episodes.jsonl.gz", "evaluations.jsonl"])
    expect(await readFile(join(second, name), "latin1")).toBe(await readFile(join(first, name), "latin1"));
});
