import { expect, test } from "vitest";
import type { Environment, Episode, Problem } from "@laconic/core";
import { inEnvironment } from "@laconic/topologies";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { wilsonInterval } from "@laconic/core/numeric";
import { livePolicies } from "./spec/parts.ts";
import { evaluate, evaluationSampling } from "./evaluate.ts";
import { tinyParts } from "./testing/index.ts";

const options = { seed: 1, step: 3, problems: 12, sampling: { temperature: 1 } };

test("an evaluation counts what its episodes hold, and repeats", async () => {
  const parts = tinyParts("star", { spread: 1 });
  const { evaluation, episodes } = await evaluate(parts, livePolicies(parts), options);
  const tokens = episodes.map(({ episode }) => episode.utterances.reduce((sum, each) => sum + each.writtenTokens, 0));
  const right = episodes.filter(({ task }) => task === 1).length;
  expect(evaluation).toMatchObject({ step: 3, problems: 12, accuracy: right / 12 });
  expect(evaluation.tokens).toBeCloseTo(tokens.reduce((sum, count) => sum + count, 0) / 12, 12);
  expect(evaluation.interval).toEqual(wilsonInterval(right, 12));
  expect((await evaluate(parts, livePolicies(parts), options)).evaluation).toEqual(evaluation);
});

test("evaluates validation and test problems separately; without validation problems the test ones replace them", async () => {
  const parts = tinyParts("solo", { spread: 1 });
  const [validation, testProblems] = [parts.task.testProblems.slice(0, 4), parts.task.testProblems.slice(4, 9)];
  const idsOf = async (task: typeof parts.task, split?: "validation" | "test") => {
    const given = { ...options, ...(split && { split }) };
    const { episodes } = await evaluate({ ...parts, task }, livePolicies(parts), given);
    return episodes.map(({ problem }) => problem.id);
  };
  const both = { ...parts.task, validation, testProblems };
  expect(await idsOf(both, "validation")).toEqual(validation.map(({ id }) => id));
  expect(await idsOf(both, "test")).toEqual(testProblems.map(({ id }) => id));
  expect(await idsOf(both)).toEqual(testProblems.map(({ id }) => id));
  expect(await idsOf({ ...parts.task, testProblems }, "validation")).toEqual(testProblems.map(({ id }) => id));
});

test("evaluations sample at their own temperature, or at the training's, or at 1 instead of a schedule", () => {
  const temperatureOf = (temperature: unknown, own: number | null): number =>
    evaluationSampling({ sampling: { temperature, topP: 1 }, evaluation: { temperature: own } } as never).temperature;
  expect([temperatureOf(0.7, null), temperatureOf(0.7, 0.1), temperatureOf({ name: "linear" }, null)]).toEqual([
    0.7, 0.1, 1,
  ]);
});

test("the first problems get the same streams in a longer evaluation", async () => {
  const parts = tinyParts("solo", { spread: 1 });
  const [short, long] = [
    await evaluate(parts, livePolicies(parts), { ...options, problems: 3 }),
    await evaluate(parts, livePolicies(parts), { ...options, problems: 30 }),
  ];
  expect(long.episodes.slice(0, 3)).toEqual(short.episodes);
});

test("measures include the task's across episodes, of all and of each group", async () => {
  const parts = tinyParts("solo", { spread: 1 });
  const task = {
    ...parts.task,
    testProblems: parts.task.testProblems.map((problem, i) => ({ ...problem, group: i % 3 === 0 ? "third" : "rest" })),
    across: (played: readonly RecordedEpisode[]) => ({
      episodes: played.length,
      longest: Math.max(...played.map(({ episode }) => episode.utterances[0]?.writtenTokens ?? 0)),
      problems: new Set(played.map(({ problem }) => problem.group)).size === 1 ? 1 : Number.NaN,
    }),
  };
  const { evaluation, episodes } = await evaluate({ ...parts, task }, livePolicies(parts), options);
  const longest = Math.max(...episodes.map(({ episode }) => episode.utterances[0]?.writtenTokens ?? 0));
  expect(evaluation.measures).toEqual({ episodes: 12, longest });
  expect(evaluation.groups?.["third"]?.measures).toMatchObject({ episodes: 4, problems: 1 });
  expect(evaluation.groups?.["rest"]?.measures).toMatchObject({ episodes: 8, problems: 1 });
});

test("a missing measure of an environment counts as 0, and one of a reward is skipped", async () => {
  const parts = tinyParts("solo", { spread: 1 });
  const own = parts.task.testProblems
    .slice(0, 4)
    .map((problem, i) => ({ ...problem, id: `p${i}`, group: i < 2 ? "a" : "b" }));
  const environment: Environment = {
    name: "drawer",
    reset: ({ id }, { record }) => {
      if (id === "p0") record("found", 2);
    },
    step: () => ({}),
  };
  const task = {
    ...parts.task,
    testProblems: own,
    topology: inEnvironment(parts.task.topology, environment),
    reward: ({ measures }: Episode, { id }: Problem) =>
      id === "p3"
        ? { undecided: "no verdict" }
        : { team: { task: 1 }, measures: id === "p1" ? { own: 5 } : { ...measures } },
  };
  const { evaluation } = await evaluate({ ...parts, task }, livePolicies(parts), options);
  expect(evaluation.measures).toEqual({ found: 2 / 3, own: 5 });
  expect(evaluation.groups?.["a"]?.measures).toEqual({ found: 1, own: 5 });
  expect(evaluation.groups?.["b"]?.measures).toEqual({ found: 0 });
});

test("accuracy excludes NaN grades and counts them; it is undefined without grades and 0 of nothing without problems", async () => {
  const parts = tinyParts();
  const graded = (grader: (gold: string) => number): typeof parts => ({
    ...parts,
    task: { ...parts.task, grader: (_, { gold }) => grader(gold) },
  });
  const half = graded((gold) => (gold === "a" ? 1 : gold === "b" ? 0 : NaN));
  expect((await evaluate(half, livePolicies(parts), options)).evaluation).toMatchObject({
    problems: 12,
    accuracy: 0.5,
    interval: wilsonInterval(4, 8),
    scoring: { scored: 8, undecided: 0, invalid: 4, error: 0 },
  });
  const none = graded(() => NaN);
  const empty = { ...parts, task: { ...parts.task, testProblems: [] } };
  await expect(evaluate(none, livePolicies(parts), options)).rejects.toFailWith("scoring_failed");
  expect((await evaluate(empty, livePolicies(parts), options)).evaluation).toMatchObject({
    accuracy: 0,
    interval: [0, 1],
  });
  expect((await evaluate(empty, livePolicies(parts), options)).evaluation.tokens).toBe(0);
});
