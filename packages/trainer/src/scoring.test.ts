import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { LanguageModel, Problem, Reward, UnknownRecord } from "@laconic/core";
import type { TrainingTask } from "@laconic/topologies";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { trainTiny, type Trained } from "../test/train-tiny.ts";
import { parseTrainConfig } from "./settings/parse-train-config.ts";
import { onePolicy, onlyPolicy, type TrainedPolicy, type TrainingParts } from "./spec/parts.ts";
import { rewardOf } from "./scorer.ts";
import type { Metrics } from "./step-metrics.ts";
import { tinyPairParts, tinyParts, tinyRun, tinySettings } from "./testing/index.ts";

type Judge = (
  answer: string | null,
  problem: Problem,
  signal: AbortSignal,
) => number | { readonly undecided: string } | Promise<number | { readonly undecided: string }>;

function judgedBy(judge: Judge, parts: TrainingParts = tinyParts()): TrainingParts {
  const reward: Reward = async ({ answer }, problem, { signal }) => {
    const verdict = await judge(answer, problem, signal);
    return typeof verdict === "number" ? { task: verdict } : verdict;
  };
  return { ...parts, task: { ...parts.task, reward } };
}

function spokenBy(complete: (model: LanguageModel) => LanguageModel["complete"]): TrainingParts {
  const { task, model, policies } = tinyParts();
  const { speak } = policies[onlyPolicy] as TrainedPolicy;
  return onePolicy(task, model, (sampler) => {
    const spoken = speak(sampler);
    return { ...spoken, complete: complete(spoken) };
  });
}

const settings = { ...tinySettings, steps: 4, prices: {}, evaluation: { every: 2, problems: 12, transcripts: 2 } };

function judged(
  ask: (question: number, honest: () => number, signal?: AbortSignal) => ReturnType<Judge>,
): TrainingParts {
  const parts = tinyParts();
  let questions = 0;
  return judgedBy(
    (answer, problem, signal) => ask(questions++, () => parts.task.grader(answer, problem), signal),
    parts,
  );
}

const run = (parts: TrainingParts, extra: UnknownRecord = {}): Promise<Trained> =>
  trainTiny(parts, { ...settings, ...extra });

const unscored = ["error", "invalid", "undecided"];

const sumOf = (rows: readonly Metrics[], name: string): number =>
  rows.reduce((sum, row) => sum + (row[`scoring/${name}`] as number), 0);

test("failing judges are counted by kind, and the run continues", async () => {
  const signals: AbortSignal[] = [];
  const parts = judged(async (question, honest, signal) => {
    if (question === 14) {
      if (signal) signals.push(signal);
      return new Promise(() => undefined);
    }
    if (question === 15) throw new Error("the judge is out");
    if (question === 16) return Number.NaN;
    if (question === 17) return 3;
    if (question === 18) return { undecided: "no memory" };
    return honest();
  });
  const { rows, steps, warnings, after } = await run(parts, {
    scoring: { seconds: 0.3 },
    policies: { policy: { prices: { tokens: 0.001 } } },
  });
  expect(steps).toBe(4);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  const counts = unscored.map((name) => sumOf(rows, name));
  // Equal answers of several samples are judged once.
  expect(counts.every((count, i) => count >= ([2, 2, 1][i] as number))).toBe(true);
  expect(sumOf(rows, "scored") + counts.reduce((sum, count) => sum + count, 0)).toBe(4 * 6 * 8);
  for (const row of rows) expect(Object.values(row).every(Number.isFinite)).toBe(true);
  const notApplicable = rows.map((row) => unscored.reduce((sum, name) => sum + sumOf([row], name), 0));
  expect(rows.map((row) => row["rewards/not_applicable"])).toEqual(notApplicable);
  expect(warnings.filter((text) => text.includes("no score")).length).toBeGreaterThan(0);
  expect(after.scoring).toEqual({ scored: 12, undecided: 0, invalid: 0, error: 0 });
});

test.each<[string, Judge, RegExp]>([
  ["hangs", () => new Promise(() => undefined), /12 errors\); for example: no answer within 0\.2 s/u],
  ["throws", () => Promise.reject(new Error("401")), /12 errors\); for example: 401/u],
  [
    "gives NaN",
    async () => Number.NaN,
    /12 invalid\); for example: term task: got NaN, expected a number from 0 to 1/u,
  ],
  ["is never let", async () => ({ undecided: "no memory" }), /12 undecided by the machine\); for example: no memory/u],
])("a judge that always %s ends the run with the reason, before it trains at accuracy 0", async (_, judge, reason) => {
  const ended = run(judgedBy(judge), { scoring: { seconds: 0.2 } });
  await expect(ended).rejects.toFailWith("scoring_failed", reason, { scored: 0 });
});

test.each<[string, () => unknown, RegExp]>([
  ["gives NaN", () => Number.NaN, /term task: got NaN/u],
  ["gives infinity", () => Infinity, /term task: got Infinity/u],
  ["gives a promise", () => Promise.resolve(1), /./u],
  [
    "throws",
    () => {
      throw new Error("no");
    },
    /for example: no/u,
  ],
])("a grader that always %s does, too", async (_, grader, reason) => {
  const parts = tinyParts();
  const task = { ...parts.task, grader: grader as () => number };
  await expect(run({ ...parts, task })).rejects.toFailWith("scoring_failed", reason);
});

test("accuracy is undefined, not 0, if all agents failed", async () => {
  const failing = spokenBy(() => () => Promise.reject(new Error("no")));
  const reason = /an agent error, so no answer exists; agent ".+": no$/u;
  await expect(run(failing, { onAgentError: "end" })).rejects.toFailWith("scoring_failed", reason);
});

test("some agents that fail are a warning with the first error, for an evaluation and a step", async () => {
  let asked = 0;
  const flaky = spokenBy(
    (model) => (request) => (++asked % 7 === 0 ? Promise.reject(new Error("out of quota")) : model.complete(request)),
  );
  const { rows, warnings } = await run(flaky, { onAgentError: "end" });
  expect(rows.some((row) => (row["stop/error"] as number) > 0)).toBe(true);
  const lost = warnings.filter((text) => text.includes("an agent error"));
  expect(lost.length).toBeGreaterThan(1);
  for (const text of lost) expect(text).toMatch(/are left out \(stop\/error\), such as: agent ".+": out of quota$/u);
});

test("the threshold is a setting, below 1", async () => {
  const third = (): TrainingParts => {
    const parts = tinyParts();
    const grader: TrainingTask["grader"] = (answer, problem) =>
      problem.gold === "a" ? Number.NaN : parts.task.grader(answer, problem);
    return { ...parts, task: { ...parts.task, grader } };
  };
  await expect(run(third(), { scoring: { mostUnscored: 0.2 } })).rejects.toMatchObject({
    detail: { scored: 8, invalid: 4, mostUnscored: 0.2 },
  });
  expect((await run(third(), { scoring: { mostUnscored: 0.9 } })).steps).toBe(4);
  expect(() => parseTrainConfig({ ...settings, scoring: { mostUnscored: 1 } })).toThrow(/scoring\.mostUnscored/u);
});

test.each([
  ["in a step", 3],
  ["in the evaluation of the last step", 4],
])("learned state is saved when the judge fails %s, and a repaired judge continues from it", async (_, fails) => {
  const folder = await temporaryFolder();
  const partsWith = (isDown: (id: string) => boolean): TrainingParts => {
    const parts = tinyParts();
    return judgedBy(async (answer, problem) => {
      if (isDown(problem.id)) throw new Error("down");
      return parts.task.grader(answer, problem);
    }, parts);
  };
  const [directory, whole] = [join(folder, "run"), join(folder, "whole")];
  await tinyRun({ directory: whole, settings });
  let [evaluations, steps] = [0, 0];
  const original = partsWith((id) =>
    id.startsWith("validation") ? evaluations > 2 * 12 : fails === 3 && steps > 2 * 48,
  );
  const { problems } = original.task;
  const counted: TrainingParts = {
    ...original,
    task: {
      ...original.task,
      problems: (random, count) => {
        steps += 48;
        return problems(random, count);
      },
      reward: (episode, problem, context) => {
        if (problem.id === "validation-0") evaluations += 12;
        return rewardOf(original.task)(episode, problem, context);
      },
    },
  };
  await expect(tinyRun({ directory, settings, parts: counted })).rejects.toFailWith(
    "scoring_failed",
    fails === 3 ? /^step 3: 4\d of 48|^step 3: / : /^the evaluation at step 4: 12 of 12/u,
  );
  const saved = fails === 3 ? "step-00000002" : "step-00000004";
  expect((await readdir(join(directory, "checkpoints"))).toSorted()).toContain(saved);
  const { steps: done, after } = await tinyRun({ directory, settings, parts: partsWith(() => false), resume: true });
  expect([done, after.step]).toEqual([4, 4]);
  const state = async (path: string): Promise<UnknownRecord> => {
    const text = await readFile(join(path, "checkpoints", "step-00000004", "state.json"), "utf8");
    const { best: _best, ...rest } = JSON.parse(text) as UnknownRecord;
    return rest;
  };
  expect(await state(directory)).toEqual(await state(whole));
});

test("a rollout tree skips an action without a score, and the others teach", async () => {
  const parts = tinyPairParts(2);
  let asked = 0;
  const reward: Reward = async (...input) => {
    if (asked++ % 5 === 3) throw new Error("no");
    return parts.task.reward(...input);
  };
  const { rows } = await run(
    { ...parts, task: { ...parts.task, reward } },
    {
      steps: 2,
      problemsPerStep: 2,
      episodesPerProblem: 3,
      evaluation: { every: 0, problems: 10, transcripts: 0 },
      tree: { mode: "aligned", gamma: 0.9, stopAbove: null },
      groupBy: "tree-node",
      objective: { name: "magrpo" },
    },
  );
  expect(rows).toHaveLength(2);
  expect(sumOf(rows, "error")).toBeGreaterThan(0);
  expect(sumOf(rows, "scored")).toBeGreaterThan(0);
  for (const row of rows) {
    expect(Object.values(row).every(Number.isFinite)).toBe(true);
    const counts = ["scored", "error", "invalid", "undecided"].map((name) => row[`scoring/${name}`] as number);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(row["rewards/evaluations"]);
  }
});
