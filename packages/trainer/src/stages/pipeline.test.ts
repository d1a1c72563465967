import { randomFromSeed, type PolicySnapshot } from "@laconic/core";
import { expect, test } from "vitest";
import { parseTrainConfig } from "../config-schema.ts";
import { onePolicy, onlyPolicy, type TrainedPolicy, type TrainingParts } from "../parts.ts";
import { silentRecorder } from "../run/recorder.ts";
import { tinyPairParts, tinyParts, tinySettings } from "../testing/index.ts";
import { rollouts } from "../../test/scored-rollouts.ts";
import { train } from "../train.ts";
import { rolloutPipeline } from "./pipeline.ts";
import type { Metrics } from "./step-metrics.ts";

test("rollouts start under the newest weights, at most so many steps ahead", async () => {
  let [version, alive] = [0, 0];
  const started: string[] = [];
  const snapshots = async (): Promise<Record<string, PolicySnapshot>> => {
    alive++;
    const snapshot = { weightVersion: version, dispose: async () => void alive-- } as unknown as PolicySnapshot;
    return { only: snapshot };
  };
  const pipeline = rolloutPipeline({ steps: 5 }, 2, snapshots, async (step, samplers) => {
    started.push(`${step} under ${samplers["only"]?.weightVersion}`);
    return { rollouts: [], scores: [] };
  });
  const lags: number[] = [];
  for (; version < 5; version++) lags.push((await pipeline.take(version)).lag);
  expect(started).toEqual(["0 under 0", "1 under 0", "2 under 0", "3 under 1", "4 under 2"]);
  expect(lags).toEqual([0, 1, 2, 2, 2]);
  await pipeline.close();
  expect(alive).toBe(0);
  await expect(pipeline.take(1)).rejects.toMatchObject({ code: "input_invalid" });
});

const settings = { ...tinySettings, prices: {}, steps: 40 };
async function run(
  extra: Readonly<Record<string, unknown>>,
  parts: TrainingParts = tinyParts(),
): Promise<{ rows: Metrics[]; accuracy: number }> {
  const rows: Metrics[] = [];
  const config = parseTrainConfig({ ...settings, ...extra });
  const { after } = await train(
    parts,
    config,
    silentRecorder((metrics) => rows.push(metrics)),
  );
  return { rows, accuracy: after.accuracy };
}

test("an asynchronous run learns, says how old its episodes are, and repeats itself", async () => {
  const asynchronous = { maxLag: 2, importanceCap: 2 };
  const { rows, accuracy } = await run({ asynchronous });
  expect(accuracy).toBeGreaterThan(0.9);
  expect(rows.map((row) => row["sampling/lag_steps"]).slice(0, 4)).toEqual([0, 1, 2, 2]);
  const late = rows.filter((row) => (row["sampling/lag_steps"] ?? 0) > 0);
  expect(late.filter((row) => "importance_weight/mean" in row).length).toBeGreaterThan(late.length / 2);
  expect(rows[0]).not.toHaveProperty("importance_weight/mean"); // the newest weights need no correction
  expect((await run({ asynchronous })).rows).toEqual(rows);
  // The weights are what the cap is of: another cap is another run.
  const capped = await run({ asynchronous: { ...asynchronous, importanceCap: 1.01 } });
  const lossesOf = (of: readonly Metrics[]): (number | undefined)[] =>
    of.slice(0, 6).map((row) => row["actor/pg_loss"]);
  expect(lossesOf(capped.rows)).not.toEqual(lossesOf(rows));
  const pair = {
    groupBy: "tree-node",
    tree: { mode: "aligned", gamma: 0.9, stopAbove: null },
    objective: { name: "magrpo" },
  };
  expect((await run({ ...pair, asynchronous }, tinyPairParts())).accuracy).toBeGreaterThan(0.6);
});

test("settings that contradict it are refused", () => {
  const asynchronous = { maxLag: 1, importanceCap: 2 };
  expect(() => parseTrainConfig({ asynchronous, oldLogProbs: "sampler" })).toThrow(/oldLogProbs: .*recompute/u);
  expect(() => parseTrainConfig({ asynchronous, refreshOldPolicyEvery: 2, checkpoint: { every: 2 } })).toThrow(
    /asynchronous/u,
  );
});

test("an agent that fails ends its episode, not the run: it is left out of rewards and accuracy", async () => {
  const { task, policies, model } = tinyParts();
  const { speak } = policies[onlyPolicy] as TrainedPolicy;
  let calls = 0;
  const flaky: TrainedPolicy["speak"] = (sampler) => ({
    ...speak(sampler),
    complete: async (request) => {
      if (calls++ % 4 === 3) throw new Error("the server is down");
      return speak(sampler).complete(request);
    },
  });
  const failing = onePolicy(task, model, flaky);
  await expect(run({ steps: 1 }, failing)).rejects.toThrow("the server is down");
  const { rows } = await run({ steps: 2, onAgentError: "end" }, failing);
  expect(rows[0]?.["stop/error"]).toBe(12); // of 48
  const config = parseTrainConfig({ ...settings, onAgentError: "end" });
  const episodes = await rollouts(failing, config, task.heldOut.slice(0, 2), randomFromSeed(0));
  expect(episodes.filter(({ episode }) => episode.stopReason === "error").length).toBeGreaterThan(0);
});
