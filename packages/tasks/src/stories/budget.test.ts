import { randomFromSeed, type Problem } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { play } from "../../test/play.ts";
import { relayTokenizer as tokenizer } from "../relay/tokenizer.ts";
import { budgetPrompt, obedience, storyBudgetTask, trainedBudgets, unseenBudgets, type BudgetForm } from "./budget.ts";

const testProblems = 400;
const world = storyBudgetTask({ tokenizer, testProblems });
const child = { name: "Lily", thing: "red ball" };
const budgetsOf = (problems: readonly Problem[]): Set<number> => new Set(problems.map(({ gold }) => Number(gold)));

test("obedience is 1 at the budget and falls on both sides", () => {
  expect([6, 3, 9, 12, 20].map((tokens) => obedience(tokens, 6))).toEqual([1, 0.5, 0.5, 0, 0]);
});

test.for([
  ["unary", 4, "It was a very very very very."],
  ["unary", 1, "It was a very."],
  ["half-unary", 8, "It was a very very very very."],
  ["digits", 8, "Tell it in 8 words."],
  ["two-digits", 8, "Tell it in 08 words."],
  ["two-digits", 14, "Tell it in 14 words."],
  ["words", 8, "Tell it in eight words."],
  ["words", 30, "Tell it in thirty words."],
  ["words", 28, "Tell it in twenty eight words."],
  ["words", 120, "Tell it in 120 words."],
] as const satisfies readonly (readonly [BudgetForm, number, string])[])(
  "%s says %d behind the story",
  ([form, budget, reply]) => {
    const story = "Once upon a time, there was a child named Lily. Lily had a red ball.";
    expect(budgetPrompt(child, budget, form)).toBe(`${story} ${reply}`);
  },
);

describe("held-out examples remain held out", () => {
  test("test problems called unseen have budgets that are kept back, those called known have training's", () => {
    const group = (wanted: string): Problem[] => world.testProblems.filter((problem) => problem.group === wanted);
    expect(budgetsOf(group("unseen"))).toEqual(new Set(unseenBudgets));
    expect(budgetsOf(group("known"))).toEqual(new Set(trainedBudgets));
    expect(budgetsOf(world.problems(randomFromSeed(1), 500))).toEqual(new Set(trainedBudgets));
    for (const unseen of unseenBudgets)
      expect(Math.min(...trainedBudgets.map((budget) => Math.abs(budget - unseen)))).toBeGreaterThanOrEqual(2);
  });

  test("a budget cannot be both", () => {
    expect(() => storyBudgetTask({ tokenizer, budgets: [4, 6] })).toThrow(/budget of 6 is both/u);
  });
});

test("an evaluation ranks sent tokens against spent tokens across episodes", async () => {
  const spending = async (tokensFor: (budget: number) => number): Promise<number | undefined> => {
    const played = await Promise.all(
      world.testProblems.slice(0, 60).map(async (problem) => {
        const text = "a".repeat(tokensFor(Number(problem.gold)));
        return { problem, episode: (await play(world.topology, problem, () => text)).episode };
      }),
    );
    return world.across?.(played)["rank_correlation"];
  };
  expect(await spending((budget) => budget)).toBeCloseTo(1, 12);
  expect(await spending((budget) => 40 - budget)).toBeCloseTo(-1, 12);
  expect(await spending(() => 9)).toBeNaN();
  // Lengths that cannot tell 16 to 18 from 20 to 26 tie.
  const coarse = (await spending((budget) => Math.ceil(budget / 12))) ?? 0;
  expect(coarse).toBeGreaterThan(0.85);
  expect(coarse).toBeLessThan(0.99);
});
