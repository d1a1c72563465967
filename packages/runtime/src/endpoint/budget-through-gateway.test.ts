import { LaconicError, type Episode, type LanguageModel, type Problem } from "@laconic/core";
import {
  onePolicy,
  parseTrainConfig,
  silentRecorder,
  runSpec,
  train,
  type Metrics,
  type TrainingParts,
} from "@laconic/trainer";
import { tinyParts, tinySettings } from "@laconic/trainer/testing";
import { expect, test } from "vitest";
import { tinyGateway } from "../../test/tiny-gateway.ts";

const [steps, problemsPerStep, episodesPerProblem] = [8, 3, 6];
const perStep = problemsPerStep * episodesPerProblem;

interface Played {
  readonly problem: Problem;
  readonly grade: number;
  readonly episode: Episode;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

async function rowsOf(parts: TrainingParts, budget: unknown): Promise<readonly Metrics[]> {
  const rows: Metrics[] = [];
  const evaluation = { every: 0, problems: 1, transcripts: 1 };
  const config = { ...tinySettings, steps, problemsPerStep, episodesPerProblem, prices: {}, evaluation, budget };
  await train(runSpec({ ...parts, settings: parseTrainConfig(config) }), {
    recorder: silentRecorder((row) => rows.push(row)),
  });
  return rows;
}

/** `train()` plays by itself; the episodes of its steps, in the order in which they were asked for. */
async function atHome(budget: unknown): Promise<{ rows: readonly Metrics[]; played: readonly Played[] }> {
  const playing: Promise<Played>[] = [];
  const { task, ...rest } = tinyParts();
  const run: typeof task.topology.run = async (problem, options) => {
    const episode = task.topology.run(problem, options);
    if (problem.id.startsWith("train-"))
      playing.push(episode.then((done) => ({ problem, episode: done, grade: task.grader(done.answer, problem) })));
    return episode;
  };
  const rows = await rowsOf({ ...rest, task: { ...task, topology: { ...task.topology, run } } }, budget);
  return { rows, played: await Promise.all(playing) };
}

const again = (played: readonly Played[]): LanguageModel => ({
  id: "again",
  async complete({ conversation = "" }) {
    const utterance = played[Number(/^r(\d+)\/solver$/u.exec(conversation)?.[1])]?.episode.utterances[0];
    if (!utterance?.trace) throw new LaconicError("input_invalid", `no utterance for conversation ${conversation}`);
    const { text, finishReason, model, trace } = utterance;
    const usage = { promptTokens: trace.promptTokens.length, completionTokens: trace.tokens.length };
    return { text, finishReason, model, trace, usage: { ...usage, counted: "model" } };
  },
});

/** The same problems by requests; the tokens that the client is told it paid for, by rollout. */
async function throughEndpoint(
  { post }: ReturnType<typeof tinyGateway>,
  played: readonly Played[],
): Promise<readonly number[]> {
  const paid: number[] = [];
  for (const [n, { problem, grade }] of played.entries()) {
    const body = { model: "solver", prompt: problem.question };
    const { usage } = (await post(`/v1/rollouts/r${n}/completions`, body)) as { usage: { completion_tokens: number } };
    paid.push(usage.completion_tokens);
    await post(`/rollouts/r${n}/reward`, { reward: grade, group: `${Math.floor(n / perStep)}-${problem.id}` });
  }
  return paid;
}

const budget = { targetTokens: 2.5, learningRate: 0.05 };

test.each([
  ["Eq. 5 moves", budget],
  [
    "a controller with a warm-up, damping and a ceiling moves",
    { ...budget, warmupIterations: 1, warmupPrice: 0.01, proportionalGain: 0.02, maxPrice: 0.15 },
  ],
])("%s the price and charges tokens through the gateway as where train() plays itself", async (_, own) => {
  const { rows: home, played } = await atHome(own);
  expect(played).toHaveLength(steps * perStep);
  const sizes = { groupsPerStep: problemsPerStep, rolloutsPerGroup: episodesPerProblem };
  const endpoint = tinyGateway({ contextLength: 64, ...sizes });
  const { task, model } = tinyParts();
  const outline = { name: task.name, topology: task.topology, problems: () => [], testProblems: [] };
  const speaker = again(played);
  const [rows, paid] = await Promise.all([
    rowsOf({ ...onePolicy(outline, model, () => speaker), source: endpoint.gateway }, own),
    throughEndpoint(endpoint, played),
  ]);
  const compared = /^(?:budget|reward|rewards|tokens|task|response_length|actor|advantages)/u;
  const shared = home.map((row) => Object.entries(row).filter(([name]) => compared.test(name)));
  const close = (row: (typeof shared)[number]): object =>
    Object.fromEntries(row.map(([name, value]) => [name, expect.closeTo(value, 9)]));
  expect(rows).toHaveLength(steps);
  expect(rows).toMatchObject(shared.map((row) => close(row)));
  const prices = rows.map((row) => row["budget/tokens/lambda"] as number);
  const costs = rows.map((_row, i) => mean(paid.slice(i * perStep, (i + 1) * perStep)));
  for (const [i, row] of rows.entries())
    expect(row["reward/mean"]).toBeCloseTo((row["task/accuracy"] as number) - (prices[i] ?? 0) * (costs[i] ?? 0), 9);
  const { targetTokens, learningRate } = budget;
  const moved = own === budget ? prices.slice(1) : [];
  for (const [i, price] of moved.entries())
    expect(price).toBeCloseTo(Math.max(0, (prices[i] ?? 0) + learningRate * ((costs[i] ?? 0) - targetTokens)), 9);
  expect(new Set(prices).size).toBeGreaterThan(3);
});
