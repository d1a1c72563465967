import { randomFromSeed, type Problem } from "@laconic/core";
import { expect, test } from "vitest";
import { problemSource } from "./problem-source.ts";
import { tinyTask } from "../testing/index.ts";

const pool: readonly Problem[] = Array.from({ length: 500 }, (_, i) => ({ id: `p${i}`, question: `${i}`, gold: "0" }));

/** A task with a fixed pool, or one that draws problems from its random stream. */
const listed = { name: "listed", pool, problems: () => [] };
const made = {
  name: "made",
  problems: (random: ReturnType<typeof randomFromSeed>, count: number): Problem[] =>
    Array.from({ length: count }, () => pool[random.integer(40)] as Problem),
};

const nothing = { budgets: {}, policyBudgets: {}, estimators: {} };

function idsOf(
  task: Parameters<typeof problemSource>[0],
  settings: Parameters<typeof problemSource>[1],
  steps: readonly number[],
): string[][] {
  const random = randomFromSeed(settings.seed);
  const source = problemSource(task, settings, random);
  return steps.map((step) => source(step, random.split(`step:${step}`), { step, ...nothing }).map(({ id }) => id));
}

const upTo = (steps: number): number[] => Array.from({ length: steps }, (_, i) => i);

test.each([
  ["a task's own problems", listed, null, 500],
  [
    "500 problems, one epoch of 42 steps of 12",
    { ...listed, pool: [...pool, ...pool.map((p) => ({ ...p, id: `q${p.id}` }))] },
    500,
    500,
  ],
  ["problems that a task makes, some twice", made, 30, 30],
] as const)("%s: each once before any comes again", (_, task, problemPool, size) => {
  const drawn = idsOf(task, { problemPool, problemsPerStep: 12, seed: 3 }, upTo(Math.ceil((3 * size) / 12))).flat();
  const epochs = [0, 1, 2].map((epoch) => drawn.slice(epoch * size, (epoch + 1) * size));
  for (const epoch of epochs) expect(new Set(epoch).size).toBe(size);
  expect(epochs[1]?.toSorted()).toEqual(epochs[0]?.toSorted());
  expect(epochs[1]).not.toEqual(epochs[0]); // an order of its own
});

test("a step's problems depend on seed and number only: a resumed run continues with them", () => {
  const settings = { problemPool: null, problemsPerStep: 7, seed: "s" };
  const whole = idsOf(listed, settings, upTo(160));
  expect(idsOf(listed, settings, [159, 71, 72, 3])).toEqual([159, 71, 72, 3].map((step) => whole[step]));
  expect(idsOf(listed, { ...settings, seed: "t" }, [0])).not.toEqual([whole[0]]);
});

test("rejects a pool larger than the task's problems", () => {
  const settings = { problemsPerStep: 2, seed: 0 };
  for (const [task, asked, has] of [
    [listed, 501, 500],
    [made, 41, 40],
    [{ ...listed, pool: [] }, null, 0],
  ] as const)
    expect(() => problemSource(task, { ...settings, problemPool: asked }, randomFromSeed(0))).toFailWith(
      "config_invalid",
      { key: "problemPool", problems: has },
    );
});

test("a task that draws problems draws new ones in each step", () => {
  const task = tinyTask();
  const random = randomFromSeed(7);
  const own = problemSource(task, { problemPool: null, problemsPerStep: 5, seed: 7 }, random);
  expect(own(4, random.split("step:4"), { step: 4, ...nothing })).toEqual(
    task.problems(random.split("step:4").split("problems"), 5),
  );
});
