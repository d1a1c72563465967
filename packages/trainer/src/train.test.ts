import { runSpec } from "./spec/run-spec.ts";
import { randomFromSeed, type TrainableModel, type UnknownRecord } from "@laconic/core";
import { expect, test } from "vitest";
import { trainTiny, type Trained } from "../test/train-tiny.ts";
import type { TrainSettings } from "./settings/config.ts";
import { parseTrainConfig } from "./settings/parse-train-config.ts";
import { onePolicy, onlyPolicy, type TrainedPolicy, type TrainingParts } from "./spec/parts.ts";
import { silentRecorder } from "./run/recorder.ts";
import type { Metrics } from "./step-metrics.ts";
import { tinyParts, tinySettings, tinyTokenizer } from "./testing/index.ts";
import { train } from "./train.ts";

type Parts = TrainingParts;

const run = (settings: UnknownRecord = {}, parts: Parts = tinyParts()): Promise<Trained> => trainTiny(parts, settings);

test("thirty steps teach a solo agent to answer in one letter and the end", async () => {
  const { before, after, rows, steps, interrupted } = await run();
  expect([before.accuracy, before.tokens, before.step]).toEqual([2 / 30, 3.2, 0]);
  expect([after.accuracy, after.tokens, after.step]).toEqual([1, 2, 30]);
  expect([steps, interrupted]).toEqual([30, false]);
  const reward = rows.map((row) => row["reward/mean"] as number);
  expect(reward[0]).toBeLessThan(0);
  expect(reward.at(-1)).toBeGreaterThan(0.75); // 0.8 is the most: 1 - 2 tokens at 0.1
});

test("evaluates validation problems; measures test problems once at the end, and not after an interrupt", async () => {
  const parts = tinyParts();
  const [validation, testProblems] = [parts.task.testProblems.slice(0, 10), parts.task.testProblems.slice(10, 25)];
  const played: string[][] = [];
  const tested: number[] = [];
  const recorder = {
    ...silentRecorder(),
    evaluation: async (_: unknown, episodes: readonly { readonly problem: { readonly id: string } }[]) =>
      void played.push(episodes.map(({ problem }) => problem.id)),
    test: async ({ step }: { readonly step: number }) => void tested.push(step),
  };
  const config = parseTrainConfig({
    ...tinySettings,
    steps: 4,
    evaluation: { every: 2, problems: 30, transcripts: 0 },
  });
  const split = { ...parts, task: { ...parts.task, validation, testProblems } };
  const { test: measured, after } = await train(runSpec({ ...split, settings: config }), { recorder });
  expect([measured?.problems, measured?.step, after.problems]).toEqual([15, 4, 10]);
  expect(tested).toEqual([4]);
  expect(played).toEqual(Array.from({ length: 3 }, () => validation.map(({ id }) => id)));
  expect(
    (
      await train(runSpec({ ...tinyParts(), task: split.task, settings: config }), {
        recorder,
        signal: AbortSignal.abort(),
      })
    ).test,
  ).toBeNull();
  expect((await run({ steps: 1 })).test).toBeNull();
});

test("train completes and checks settings, and needs no recorder", async () => {
  const short = { ...tinySettings, objective: { name: "gspo", clip: 0.2 }, steps: 2, seed: 3 } as const;
  const rows: Metrics[] = [];
  const recorder = silentRecorder((metrics) => rows.push(metrics));
  const [written, whole] = [
    await train(runSpec({ ...tinyParts(), settings: short })),
    await train(runSpec({ ...tinyParts(), settings: parseTrainConfig(short) }), { recorder }),
  ];
  expect([written, rows.length]).toEqual([whole, 2]);
  // @ts-expect-error there is no such setting
  const settings: TrainSettings = { stepss: 2 };
  expect(() => runSpec({ ...tinyParts(), settings })).toFailWith("config_invalid");
  // Without any, it is Algorithm 1 as `agentGspoDefaults` has it.
  const stopped = await train(runSpec({ ...tinyParts() }), { signal: AbortSignal.abort() });
  expect([stopped.steps, stopped.interrupted]).toEqual([0, true]);
});

test("a star team whose answerer sees nothing learns to pass the digit on", async () => {
  const { before, after } = await run({ steps: 90, prices: { tokens: 0.02 } }, tinyParts("star"));
  expect(before.accuracy).toBeLessThan(0.2);
  expect(after.accuracy).toBeGreaterThan(0.8);
});

test("a strong KL term keeps the policy near its initial weights", async () => {
  const kl = { estimator: "k3", coefficient: 5 };
  const { name, ...rest } = parseTrainConfig(tinySettings).objective;
  const [free, held] = [await run(), await run({ objective: { name, ...rest, kl } })];
  expect(held.rows[0]?.["actor/kl_loss"]).toBeLessThan(0.05);
  expect(held.rows.at(-1)?.["actor/kl_loss"]).toBeGreaterThan(0.001);
  expect(held.after.accuracy).toBeLessThan(free.after.accuracy - 0.2);
  expect(free.rows[0]).not.toHaveProperty("actor/kl_loss");
});

test("Eq. 5 steers the price: over budget it rises by η times the violation", async () => {
  const budget = { targetTokens: 2, learningRate: 0.01 };
  const { rows } = await run({ steps: 3, prices: {}, budget });
  const [first, second] = rows as [Metrics, Metrics];
  expect(first["budget/tokens/lambda"]).toBe(0);
  expect(second["budget/tokens/lambda"]).toBeCloseTo(0.01 * ((first["tokens/episode_mean"] as number) - 2), 12);
  expect(first["budget/tokens/used_frac"]).toBeCloseTo((first["tokens/episode_mean"] as number) / 2, 12);
});

test("an episode with a NaN grade is skipped and counted, and the run continues", async () => {
  const parts = tinyParts();
  const grader: Parts["task"]["grader"] = (answer, problem) =>
    problem.gold === "a" ? NaN : parts.task.grader(answer, problem);
  const scoring = { mostUnscored: 0.9 };
  const { rows, after } = await run({ steps: 12, scoring }, { ...parts, task: { ...parts.task, grader } });
  expect(rows).toHaveLength(12);
  expect(rows.map((row) => row["scoring/invalid"])).toEqual(rows.map((row) => row["rewards/not_applicable"]));
  const left = rows.map((row) => row["rewards/not_applicable"] as number);
  expect(left.every((count) => count % 8 === 0)).toBe(true); // whole groups
  expect(Math.max(...left)).toBeGreaterThan(0);
  expect(rows.flatMap((row) => Object.values(row)).every(Number.isFinite)).toBe(true);
  expect(after.accuracy).toBeGreaterThan(0.5);
  expect(after.accuracy * 20).toBeCloseTo(Math.round(after.accuracy * 20), 9); // of the 20 problems that apply
});

test("silence is counted: an agent that only ends costs one token and has no answer", async () => {
  const parts = tinyParts();
  const { speak } = parts.policies[onlyPolicy] as TrainedPolicy;
  const silent: TrainedPolicy["speak"] = (sampler) => ({
    ...speak(sampler),
    complete: async () => {
      const trace = { promptTokens: [0], tokens: [tinyTokenizer.endToken], logProbs: [-Math.log(11)] };
      const usage = { promptTokens: 1, completionTokens: 1, counted: "model" as const };
      return { text: "", finishReason: "stop", usage, model: { id: "silent", weightVersion: 0 }, trace };
    },
  });
  const { rows, after } = await run({ steps: 1 }, onePolicy(parts.task, parts.model, silent));
  expect(rows[0]).toMatchObject({
    "silence/frac": 1,
    "silence/solver/frac": 1,
    "stop/no_answer": 48,
    "stop/answered": 0,
    "tokens/episode_mean": 1,
    "response_length/mean": 1,
    "task/accuracy": 0,
    frac_reward_zero_std: 1,
  });
  expect(after.silence).toEqual({ solver: 1 });
});

test("groups are counted by their grades, terms by their spread", async () => {
  const parts = tinyParts();
  const all = { a: 1, b: 0 } as Readonly<Record<string, number>>;
  const grader: Parts["task"]["grader"] = (answer, problem) => all[problem.gold] ?? parts.task.grader(answer, problem);
  const { rows } = await run({ steps: 1, problemsPerStep: 12 }, { ...parts, task: { ...parts.task, grader } });
  const golds = { a: 0, b: 0, c: 0 };
  const stream = randomFromSeed(7).split("step:0").split("problems");
  for (const { gold } of parts.task.problems(stream, 12)) golds[gold as "a" | "b" | "c"] += 1;
  expect(Math.min(golds.a, golds.b, golds.c)).toBeGreaterThan(0);
  expect(rows[0]?.["by_group/frac_all_good"]).toBeCloseTo(golds.a / 12, 12);
  expect(rows[0]?.["by_group/frac_all_bad"]).toBeGreaterThanOrEqual(golds.b / 12);
  const shares = ["all_good", "all_bad", "mixed"].map((name) => rows[0]?.[`by_group/frac_${name}`] as number);
  expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
  const accuracy = rows[0]?.["task/accuracy"] as number;
  expect(rows[0]?.["rewards/task/std"]).toBeCloseTo(Math.sqrt((accuracy * (1 - accuracy) * 96) / 95), 12);
  expect(rows[0]?.["rewards/turns/std"]).toBe(0);
});

test.each([
  ["above the budget it raises the price", 2, 0, 1],
  ["below it it lowers nothing", 50, 1, 0],
])("too many episodes are cut, and their cost is a lower bound: %s", async (_, targetTokens, held, rise) => {
  const budget = { targetTokens, learningRate: 0.001, initialPrice: 0.05, truncationTolerance: 0.05 };
  const { rows } = await run({ steps: 2, prices: {}, budget });
  const [first, second] = rows.map((row) => row["budget/tokens/lambda"] as number) as [number, number];
  expect(rows[0]?.["stop/truncated"]).toBeGreaterThan(0.05 * 48);
  expect(rows[0]?.["budget/tokens/held"]).toBe(held);
  expect(Math.sign(second - first)).toBe(rise);
});

test("groups without spread have advantage 0 and leave the weights alone", async () => {
  const parts = tinyParts();
  const task = { ...parts.task, grader: () => 1 };
  const { rows } = await run({ steps: 2, prices: {} }, { ...parts, task });
  expect(rows[1]).toMatchObject({
    frac_reward_zero_std: 1,
    "advantages/min": 0,
    "advantages/max": 0,
    "actor/grad_norm": 0,
    "actor/pg_loss": 0,
    "reward/std": 0,
  });
  const { logProbs } = await parts.model.forward([{ promptTokens: [0], completionTokens: [4] }]);
  expect(logProbs.values[0]).toBeCloseTo(-Math.log(11), 12);
});

test("a group of one learns from the raw reward", async () => {
  const { rows } = await run({ steps: 1, episodesPerProblem: 1, advantage: { estimator: "raw" } });
  expect(rows[0]?.["groups/size_one"]).toBe(6);
  expect(rows[0]?.["advantages/mean"]).toBeCloseTo(rows[0]?.["reward/mean"] as number, 12);
});

test("an old policy that outlives a step is sampled and divides the ratio", async () => {
  const settings = { steps: 4, minibatches: 1, refreshOldPolicyEvery: 2, checkpoint: { every: 2, keep: 2 } };
  const { rows } = await run(settings);
  const ratios = rows.map((row) => [row["ratio/min"], row["ratio/max"]] as [number, number]);
  // With one minibatch, only the first step of each pair has ratio 1.
  expect(ratios.map(([low, high]) => low === 1 && high === 1)).toEqual([true, false, true, false]);
  const fresh = await run({ ...settings, refreshOldPolicyEvery: 1 });
  expect(fresh.rows.every((row) => row["ratio/min"] === 1 && row["ratio/max"] === 1)).toBe(true);
});

test("the sampler's log-probs and recomputed ones give the same run", async () => {
  const [recomputed, sampled] = [await run({ steps: 3 }), await run({ steps: 3, oldLogProbs: "sampler" })];
  expect(sampled.rows).toEqual(recomputed.rows);
});

test("an agent that is not trained speaks with its frozen model and gives no sequences", async () => {
  const parts = tinyParts("star");
  const sequences: number[] = [];
  const frozen = tinyParts("star");
  const model: TrainableModel = {
    ...parts.model,
    forwardBackward: (batch, tokenGradient) => {
      sequences.push(batch.length);
      return parts.model.forwardBackward(batch, tokenGradient);
    },
  };
  const settings = { steps: 1, minibatches: 2 };
  const { speak } = parts.policies[onlyPolicy] as TrainedPolicy;
  await run(settings, onePolicy(parts.task, model, speak));
  expect(sequences.splice(0)).toEqual([48, 48]); // two agents, 48 episodes
  const hint = speak(frozen.model);
  await run(settings, { ...onePolicy(parts.task, model, speak, ["solver"]), frozen: { hint } });
  expect(sequences).toEqual([24, 24]);
  expect(frozen.model.weightVersion).toBe(0);
});

test("an agent with neither a policy nor a frozen model is named", async () => {
  const { policies, ...rest } = tinyParts("star");
  const policy = policies[onlyPolicy] as TrainedPolicy;
  const withoutHint = { ...rest, policies: { [onlyPolicy]: { ...policy, agents: ["solver"] } } };
  await expect(run({ steps: 1 }, withoutHint)).rejects.toFailWith("input_invalid", { agent: "hint" });
});

test("a learning rate follows the loop, not the steps that the weights had before", async () => {
  const parts = tinyParts();
  const learningRate = { peak: 0.3, warmUpSteps: 0, decay: "linear", finalFraction: 0 };
  const settings = { steps: 4, minibatches: 2, optimizer: { learningRate } };
  const first = await run(settings, parts);
  expect(parts.model.weightVersion).toBe(8);
  const second = await run(settings, parts);
  const rates = (rows: readonly Metrics[]): unknown[] => rows.map((row) => row["optim/lr"]);
  expect(rates(second.rows)).toEqual(rates(first.rows));
  expect(rates(first.rows)).toBeAllclose([0.3 * (7 / 8), 0.3 * (5 / 8), 0.3 * (3 / 8), 0.3 * (1 / 8)]);
});
