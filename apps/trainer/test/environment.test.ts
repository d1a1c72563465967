import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { verifyRun } from "@laconic/verify";
import type { Environment, Problem, RewardBatch, TrainingSequence } from "@laconic/core";
import { gaeEstimator } from "@laconic/gspo/critics";
import { defineEnvironment, withStepRewards } from "@laconic/tasks";
import { inEnvironment, solo, type AgentSpec, type TrainingTask } from "@laconic/topologies";
import { graded } from "@laconic/rewards";
import { ProcessKilled, tinyParts, tinyRun, tinyTask, tinyTokenizer } from "@laconic/trainer/testing";
import { eachEpisode, folderSource } from "@laconic/trainer/reading";
import { expect, test } from "vitest";
import { rowsIn } from "./laconic.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const few = {
  steps: 4,
  problemsPerStep: 2,
  episodesPerProblem: 4,
  costs: { tokens: { kind: "tokens-written" }, observed: { kind: "tokens-read", from: "environment" } },
  prices: { tokens: 0.05, observed: 0.02 },
  evaluation: { every: 2, problems: 3, transcripts: 1 },
  checkpoint: { every: 2, keep: 2 },
};

/** Who begins with a digit or a capital is told the gold in a capital, and by chance twice. */
function telling(onStep: (step: number) => void = () => undefined): Environment {
  let steps = 0;
  return defineEnvironment<Problem>({
    name: "telling",
    reset: (problem) => problem,
    async step({ gold }, { text }, { random, record }) {
      onStep(++steps);
      if (!/^[0-2A-C]/u.test(text)) return { reward: 0.1 };
      record("asked");
      return { observation: gold.toUpperCase().repeat(1 + random.integer(2)), reward: -0.1 };
    },
    encode: (text) => tinyTokenizer.encode(text),
    maxSteps: 3,
  });
}

const solver: AgentSpec = {
  id: "solver",
  role: "answers",
  maxTokens: 30,
  prompt: ({ question }) => ({ kind: "text", text: question }),
};

type Team = Parameters<typeof tinyParts>[0];

function partsWith(environment: Environment, team?: Team): ReturnType<typeof tinyParts> {
  const parts = tinyParts(team);
  const { grader, topology, ...task } = tinyTask(team);
  const acting: TrainingTask = {
    ...task,
    topology: inEnvironment(team ? topology : solo(solver), environment),
    reward: withStepRewards(graded(grader)),
  };
  return { ...parts, task: acting as typeof parts.task };
}

const files = ["metrics.jsonl", "evaluations.jsonl", "episodes.jsonl.gz"];
const bytesOf = (run: string): Promise<Buffer[]> => Promise.all(files.map((name) => readFile(join(run, name))));

async function runIn(more: Partial<Parameters<typeof tinyRun>[0]> = {}): Promise<string> {
  const directory = more.directory ?? join(await temporaryFolder(), "run");
  await tinyRun({ settings: few, parts: partsWith(telling()), ...more, directory });
  return directory;
}

test("in an environment every sequence extends the one before, and the run verifies", async () => {
  const run = await runIn();
  const report = await verifyRun(run);
  expect(report.contradictions).toEqual([]);
  expect(report.compared.ledger).toBeGreaterThan(100);
  let observed = 0;
  for await (const { episode } of eachEpisode(folderSource(run), "step"))
    for (const { turn, text, tokens } of episode.observations?.filter((each) => each.text !== "") ?? []) {
      const [before, after] = [episode.utterances[turn]?.trace, episode.utterances[turn + 1]?.trace];
      const read = after?.promptTokens.slice(-tokens) ?? [];
      expect(tinyTokenizer.decode(read)).toBe(text);
      expect(after?.promptTokens).toEqual([...(before?.promptTokens ?? []), ...(before?.tokens ?? []), ...read]);
      observed += 1;
    }
  expect(observed).toBeGreaterThan(5);
});

test("environment measures are means over a step's episodes, and the run verifies", async () => {
  const run = await runIn();
  const asked: number[] = [];
  for await (const { episode } of eachEpisode(folderSource(run), "step")) asked.push(episode.measures?.["asked"] ?? 0);
  const means = (await rowsIn(run, "metrics.jsonl")).map((row) => row["measures/asked"]);
  const size = asked.length / few.steps;
  expect(asked).toContain(0);
  expect(means).toEqual(
    means.map((_, step) => {
      const own = asked.slice(step * size, (step + 1) * size);
      return expect.closeTo(own.reduce((sum, count) => sum + count, 0) / size, 12);
    }),
  );
  expect(means).toHaveLength(few.steps);
  expect((await verifyRun(run)).contradictions).toEqual([]);
});

test("trains only on agents' tokens; observations are part of prompts", async () => {
  const parts = partsWith(telling());
  const { model } = parts;
  const trained: string[] = [];
  const shown = ({ promptTokens, completionTokens }: TrainingSequence): string =>
    `${[...promptTokens].join()} > ${[...completionTokens].join()}`;
  const learn = model.forwardBackward.bind(model);
  Object.assign(model, {
    forwardBackward: (...given: Parameters<typeof learn>) => {
      trained.push(...given[0].map(shown));
      return learn(...given);
    },
  });
  const run = await runIn({ parts });
  const [written, observed]: [string[], string[]] = [[], []];
  for await (const { episode } of eachEpisode(folderSource(run), "step")) {
    for (const { trace } of episode.utterances)
      written.push(shown({ promptTokens: trace?.promptTokens ?? [], completionTokens: trace?.tokens ?? [] }));
    for (const { text } of episode.observations ?? []) if (text !== "") observed.push(text);
  }
  expect(observed.length).toBeGreaterThan(5);
  expect(trained.toSorted()).toEqual(written.toSorted());
});

test("a run killed during a tool call at any step resumes to equal bytes", async () => {
  let steps = 0;
  const expected = await bytesOf(await runIn({ parts: partsWith(telling((step) => (steps = step))) }));
  for (const part of [0.6, 0.8, 0.95]) {
    const at = Math.floor(steps * part);
    const directory = join(await temporaryFolder(), "run");
    const dying = telling((step) => {
      if (step === at) throw new ProcessKilled("in a tool call");
    });
    await expect(runIn({ directory, parts: partsWith(dying) })).rejects.toThrow("in a tool call");
    expect((await bytesOf(directory)).map((each) => each.length)).not.toEqual(expected.map((each) => each.length));
    await runIn({ directory, resume: true });
    expect(await bytesOf(directory)).toEqual(expected);
  }
});

/** Pays the team for each text, and the two agents of the star the opposite of one another for the first text of each. */
const paying = defineEnvironment<Problem>({
  name: "paying",
  reset: (problem) => problem,
  step({ gold }, { agent, step }, { random }) {
    const amount = random.integer(8) / 8;
    const reward = step === 1 ? 0.25 : agent === "hint" ? { hint: amount, solver: -amount } : { solver: amount };
    return { reward, ...(step < 2 && { observation: gold.toUpperCase() }) };
  },
  encode: (text) => tinyTokenizer.encode(text),
});

test("rewards of single agents reach their rows and verify; whole-episode groups reject them", async () => {
  const settings = { ...few, groupBy: "prompt+agent", prices: { tokens: 0.05 }, costs: null };
  const run = await runIn({ parts: partsWith(paying, "star"), settings });
  expect((await verifyRun(run)).contradictions).toEqual([]);
  const earned = { hint: 0, solver: 0 };
  for await (const { episode, score } of eachEpisode(folderSource(run), "step"))
    for (const agent of ["hint", "solver"] as const) {
      const sum = (episode.observations ?? []).reduce(
        (total, { reward }) => total + (typeof reward === "object" ? (reward[agent] ?? 0) : 0),
        0,
      );
      earned[agent] += Math.abs(sum);
      const terms = score?.status === "scored" ? score.reward?.agents?.[agent] : undefined;
      expect(terms?.["environment"] ?? 0).toBe(sum);
    }
  expect(Math.min(earned.hint, earned.solver)).toBeGreaterThan(1);
  await expect(runIn({ parts: partsWith(paying, "star") })).rejects.toThrow("gives single agents terms of their own");
});

test("GAE uses each step's reward: advantages are discounted returns, recomputed from the episodes", async () => {
  const gamma = 0.75;
  const zero = { name: "zero", init: () => null, fit: () => null };
  const critic = { ...zero, values: ({ rewards }: RewardBatch) => new Float64Array(rewards.length) };
  const inner = gaeEstimator({ gamma, lambda: 1, critic });
  let compared = 0;
  const estimator: typeof inner = {
    ...inner,
    async estimate(batch, state) {
      const found = await inner.estimate(batch, state);
      batch.episodes.forEach(({ utterances, observations = [] }, row) => {
        const agent = batch.agents?.[row] ?? "";
        const turn = batch.utterances[row]?.[0]?.turn ?? 0;
        const turns = utterances.filter((each) => each.agent === agent).map((each) => each.turn);
        const rewards = observations.map(({ reward = 0, turn: at }) => ({
          at,
          amount: typeof reward === "number" ? reward : (reward[agent] ?? 0),
        }));
        // Discounted by how many turns of the agent lie between; what no step earned is paid in the last one.
        const whole = rewards.reduce((sum, { amount }) => sum + amount, 0);
        const discount = (at: number): number => gamma ** turns.filter((each) => each > turn && each <= at).length;
        let expected = discount(Infinity) * ((batch.rewards[row] as number) - whole);
        for (const { at, amount } of rewards) {
          if (at >= turn) expected += discount(at) * amount;
          else if (at < (turns[0] as number)) expected += discount(Infinity) * amount;
        }
        expect(found.advantages[row]).toBeCloseTo(expected, 10);
        compared += turns.length > 1 ? 1 : 0;
      });
      return found;
    },
  };
  const settings = { ...few, groupBy: "prompt+agent", advantage: estimator };
  await runIn({ parts: partsWith(paying, "star"), settings });
  expect(compared).toBeGreaterThan(20);
});
