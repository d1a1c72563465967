import { runSpec } from "../spec/run-spec.ts";
import { randomFromSeed, stopReasons, type UnknownRecord } from "@laconic/core";
import { expect, test } from "vitest";
import { sampled } from "../../test/scored-rollouts.ts";
import { slowly, type Slowness } from "../../test/slow-policy.ts";
import { parseTrainConfig } from "../settings/parse-train-config.ts";
import { onePolicy, onlyPolicy, type TrainedPolicy, type TrainingParts } from "../spec/parts.ts";
import type { DroppedProblem } from "./training-queue.ts";
import { silentRecorder } from "../run/recorder.ts";
import type { Metrics } from "../step-metrics.ts";
import {
  nullFleet,
  nullModel,
  tinyPairParts,
  tinyParts,
  tinySettings,
  tinyTask,
  virtualTimer,
} from "../testing/index.ts";
import { train } from "../train.ts";

interface Ran {
  readonly rows: Metrics[];
  readonly dropped: (DroppedProblem & { step: number })[];
  readonly accuracy: number;
}

const settings = { ...tinySettings, prices: {}, steps: 40 };
async function run(extra: UnknownRecord, parts: TrainingParts = tinyParts(), slowness: Slowness = {}): Promise<Ran> {
  const timer = virtualTimer();
  const [rows, dropped]: [Metrics[], Ran["dropped"]] = [[], []];
  const config = parseTrainConfig({ ...settings, ...extra });
  const recorder = {
    ...silentRecorder((metrics) => rows.push(metrics)),
    dropped: async (step: number, groups: readonly DroppedProblem[]) =>
      void dropped.push(...groups.map((group) => ({ step, ...group }))),
  };
  const { after } = await timer.run(
    train(runSpec({ ...slowly(parts, timer, slowness), settings: config }), { recorder, timer }),
  );
  return { rows, dropped, accuracy: after.accuracy };
}

const column = (rows: readonly Metrics[], name: string): (number | undefined)[] => rows.map((row) => row[name]);
const sum = (rows: readonly Metrics[], name: string): number => rows.reduce((all, row) => all + (row[name] ?? 0), 0);

const episodesOf = (rows: readonly Metrics[]): number =>
  stopReasons.reduce((all, reason) => all + sum(rows, `stop/${reason}`), 0);

test("an asynchronous run learns, reports the age of groups, weights older ones, and is reproducible", async () => {
  const asynchronous = { maxLag: 3, activeGroups: 9 };
  const { rows, accuracy } = await run({ asynchronous });
  expect(accuracy).toBeGreaterThan(0.9);
  expect(rows).toHaveLength(40);
  expect(column(rows, "sampling/lag_steps")[0]).toBe(0);
  const means = column(rows, "sampling/lag_steps") as number[];
  expect(means.some((mean) => !Number.isInteger(mean))).toBe(true); // groups of several ages train together
  expect(Math.max(...(column(rows, "sampling/lag_steps_max") as number[]))).toBe(3);
  const late = rows.filter((row) => (row["sampling/lag_steps_max"] ?? 0) > 0);
  expect(late.filter((row) => "importance_weight/mean" in row).length).toBeGreaterThan(late.length / 2);
  expect(rows[0]).not.toHaveProperty("importance_weight/mean"); // the newest weights need no correction
  const short = await run({ asynchronous, steps: 8 });
  expect((await run({ asynchronous, steps: 8 })).rows).toEqual(short.rows);
  // The cap changes importance weights, so another cap gives another run.
  const capped = await run({ asynchronous: { ...asynchronous, importanceCap: 1.01 }, steps: 8 });
  expect(column(capped.rows, "actor/pg_loss")).not.toEqual(column(short.rows, "actor/pg_loss"));
});

test("minibatches of fresh samples only are trained without weights next to older ones", async () => {
  const { rows } = await run({ asynchronous: { maxLag: 6, activeGroups: 3 }, steps: 8, minibatches: 24 });
  const mixed = rows.filter((row) => !Number.isInteger(row["sampling/lag_steps"]));
  expect(mixed.length).toBeGreaterThan(1);
  for (const row of mixed) expect(row).toHaveProperty("importance_weight/mean");
});

test("a step waits for old groups, or they are dropped and named", async () => {
  const asynchronous = { maxLag: 1, activeGroups: 12 };
  const waited = await run({ asynchronous, steps: 15 });
  expect(waited.dropped).toEqual([]);
  expect(Math.max(...(column(waited.rows, "sampling/lag_steps_max") as number[]))).toBe(1);
  const { rows, dropped } = await run({ asynchronous: { ...asynchronous, stale: "drop" }, steps: 15 });
  expect(Math.max(...(column(rows, "sampling/lag_steps_max") as number[]))).toBe(1);
  expect(dropped.length).toBeGreaterThan(2);
  expect(sum(rows, "queue/dropped_stale")).toBe(dropped.length);
  for (const { reason, lag, problemId } of dropped) expect([reason, lag, problemId]).toEqual(["stale", 2, problemId]);
  expect(dropped[0]?.problemId).toMatch(/^train-\d$/u);
});

test("retries a failed episode; drops and names a group that keeps failing", async () => {
  const asynchronous = { maxLag: 2, retries: 1 };
  const third = await run({ asynchronous, steps: 10 }, tinyParts(), { fails: (call) => call > 30 && call % 5 === 0 });
  expect(third.rows).toHaveLength(10);
  expect(sum(third.rows, "queue/retried_episodes")).toBeGreaterThan(50);
  expect(third.dropped.length).toBeGreaterThan(5);
  expect(third.dropped[0]).toMatchObject({ reason: "failed", detail: "the server went away" });
  expect(sum(third.rows, "queue/dropped_failed")).toBe(third.dropped.length);
  const groups = third.dropped.map(({ group }) => group);
  expect(new Set(groups).size).toBe(groups.length);
});

test("unreachable servers end the run with their error, after as many groups as a step has", async () => {
  const asynchronous = { maxLag: 2 };
  const away = run({ asynchronous }, tinyParts(), { fails: (call) => call > 500 });
  await expect(away).rejects.toFailWith("api_unavailable");
});

test("waits for slow episodes", async () => {
  const retained = await run({ asynchronous: { maxLag: 4 }, steps: 8 });
  expect(episodesOf(retained.rows)).toBe(8 * 48);
});

test("trains several policies, trees of joint replies, and a greedy baseline", async () => {
  const pair = {
    groupBy: "tree-node",
    tree: { mode: "aligned", gamma: 0.9, stopAbove: null },
    objective: { name: "magrpo" },
  };
  const asynchronous = { maxLag: 2, activeGroups: 10 };
  const joint = await run({ ...pair, asynchronous }, tinyPairParts());
  expect(joint.accuracy).toBeGreaterThan(0.6);
  expect(joint.rows[5]).toHaveProperty("policy/second/actor/pg_loss");
  expect(Math.max(...(column(joint.rows, "sampling/lag_steps_max") as number[]))).toBe(2);
  const failing = await run({ ...pair, asynchronous, steps: 5 }, tinyPairParts(), {
    fails: (call) => call % 40 === 39,
  });
  expect(sum(failing.rows, "queue/retried_episodes")).toBeGreaterThan(0);
  const remax = await run({ advantage: { estimator: "remax" }, asynchronous, steps: 5 }, tinyParts("star"));
  expect(remax.rows).toHaveLength(5);
});

test("weights are requested once per version and released without users", async () => {
  const timer = virtualTimer();
  const latency = { medianSeconds: 2, sigma: 1.2, leastSeconds: 0.05, mostSeconds: 30 };
  const fleet = nullFleet(timer, { slots: 24, latency, failures: 0.02 });
  const model = nullModel(timer, 3);
  let most = 0;
  const recorder = silentRecorder(() => (most = Math.max(most, model.alive)));
  const config = parseTrainConfig({
    ...settings,
    minibatches: 1,
    steps: 12,
    asynchronous: { maxLag: 4, activeGroups: 6 },
  });
  await timer.run(
    train(runSpec({ ...onePolicy(tinyTask("star"), model, fleet.speak), settings: config }), { recorder, timer }),
  );
  expect([model.snapshots, model.alive, fleet.inFlight]).toEqual([12, 0, 0]);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(5); // versions within maxLag
});

test.each(["interrupt", "error"] as const)("an %s ends what is played and lets its weights go", async (ending) => {
  const timer = virtualTimer();
  const latency = { medianSeconds: 2, sigma: 1, leastSeconds: 0.1, mostSeconds: 30 };
  const fleet = nullFleet(timer, { slots: 24, latency, failures: 0 });
  const model = nullModel(timer, 1);
  const stop = new AbortController();
  const recorder = silentRecorder(({ step = 0 }) => {
    if (step === 3 && ending === "error") throw new Error("the disk is full");
    if (step === 3) stop.abort();
  });
  const config = parseTrainConfig({ ...settings, asynchronous: { maxLag: 4 } });
  const parts = onePolicy(tinyTask("star"), model, fleet.speak);
  const outcome = await timer
    .run(train(runSpec({ ...parts, settings: config }), { recorder, signal: stop.signal, timer }))
    .then(
      ({ steps, interrupted }) => ({ steps, interrupted }),
      (error: unknown) => String(error),
    );
  expect(outcome).toEqual(ending === "error" ? "Error: the disk is full" : { steps: 3, interrupted: true });
  expect([model.alive, fleet.inFlight]).toEqual([0, 0]);
});

test("the queue yields to the event loop after every sixteen starts", async () => {
  const timer = virtualTimer();
  let starts = 0;
  let since = 0;
  let most = 0;
  const { after } = timer;
  const counted = {
    ...timer,
    after: (ms: number, call: () => void) => after(ms, ms > 0 ? call : () => ((since = 0), call())),
  };
  const parts = tinyParts();
  const { speak } = parts.policies[onlyPolicy] as TrainedPolicy;
  const counting = onePolicy(parts.task, parts.model, (sampler) => ({
    ...speak(sampler),
    complete: async (request) => {
      starts += 1;
      if (sampler !== parts.model) most = Math.max(most, ++since);
      return speak(sampler).complete(request);
    },
  }));
  const config = parseTrainConfig({ ...settings, steps: 2, problemsPerStep: 40, asynchronous: { maxLag: 1 } });
  await timer.run(train(runSpec({ ...counting, settings: config }), { timer: counted }));
  expect(starts).toBeGreaterThanOrEqual(640);
  expect(most).toBeLessThanOrEqual(16);
});

test("rejects contradicting settings", () => {
  const refused = (asynchronous: object, extra: object = {}): (() => unknown) => {
    return () => parseTrainConfig({ ...settings, ...extra, asynchronous });
  };
  expect(refused({}, { oldLogProbs: "sampler" })).toThrow(/oldLogProbs: .*recompute/u);
  expect(refused({}, { refreshOldPolicyEvery: 2 })).toThrow(/asynchronous/u);
  expect(refused({ maxLag: 1, activeGroups: 13 })).toThrow(
    /asynchronous\.activeGroups: is 13, but maxLag 1 allows 12/u,
  );
  expect(refused({ maxlag: 1 })).toThrow(/asynchronous\.maxlag: unknown setting; did you mean asynchronous\.maxLag/u);
  const filled = parseTrainConfig({ ...settings, asynchronous: { maxLag: 2 } }).asynchronous;
  expect(filled).toEqual({
    activeGroups: null,
    maxLag: 2,
    stale: "wait",
    importanceCap: 2,
    retries: 2,
  });
});

test("a failing agent ends its episode, not the run, and does not count in rewards and accuracy", async () => {
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
  const { rollouts } = await sampled(failing, config, task.testProblems.slice(0, 2), randomFromSeed(0));
  expect(rollouts.filter(({ episode }) => episode.stopReason === "error").length).toBeGreaterThan(0);
});
