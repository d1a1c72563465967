import type { Random } from "@laconic/core";
import { expect, test } from "vitest";
import { evaluationSplits } from "./task.ts";

const numbered =
  (most: number) =>
  (random: Random): { id: string; question: string; gold: string } => {
    const id = String(random.integer(most));
    return { id, question: id, gold: id };
  };

test("validation and test problems have separate seeds and share no problem", () => {
  const { validation, testProblems } = evaluationSplits(50, "seed", numbered(1000));
  expect([validation.length, testProblems.length]).toEqual([50, 50]);
  const ids = new Set([...validation, ...testProblems].map(({ id }) => id));
  expect(ids.size).toBe(100);
  const again = evaluationSplits(20, "seed", numbered(1000));
  expect(again.validation).toEqual(validation.slice(0, 20));
  expect(evaluationSplits(50, "other", numbered(1000)).validation).not.toEqual(validation);
});

test("a small world is shared out among the two", () => {
  const { validation, testProblems } = evaluationSplits(50, "seed", numbered(11));
  expect(new Set([...validation, ...testProblems].map(({ id }) => id)).size).toBe(11);
  expect(validation.length - testProblems.length).toBeGreaterThanOrEqual(0);
  expect(validation.length - testProblems.length).toBeLessThanOrEqual(1);
});
