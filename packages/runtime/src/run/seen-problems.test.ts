import { expect, test } from "vitest";
import type { Problem } from "@laconic/core";
import { seenProblems, seenWarnings } from "./run-task.ts";

const problem = (id: string, question: string, views?: Problem["views"]): Problem => ({
  id,
  question,
  gold: "1",
  ...(views && { views }),
});

const pool = [problem("a", "What is 3 + 4?"), problem("b", "How many apples has Ann, and how many has Bob?")];

test("problems with a training problem's text are counted by split", () => {
  const seen = seenProblems({
    pool,
    validation: [problem("v", "what is 3+4"), problem("w", "What is 3 - 4?")],
    testProblems: [problem("x", "What is 5 + 4?")],
  });
  expect(seen).toEqual({ validation: { seen: 1, of: 2, first: "v" } });
  expect(seenWarnings(seen)).toEqual([
    expect.stringMatching(/^seen in training: 1 of 2 validation problems, such as v/u),
  ]);
});

test("problems that differ only in what single agents know are different problems", () => {
  const views = (left: string): Problem["views"] => ({ left, right: "4" });
  const same = [problem("a", "What is the sum?", views("3"))];
  expect(seenProblems({ pool: same, testProblems: [problem("b", "What is the sum?", views("5"))] })).toEqual({});
  expect(seenProblems({ pool: same, testProblems: [problem("c", "What is the sum?", views("3"))] })).toMatchObject({
    test: { seen: 1 },
  });
});

test("a task without a list of training problems has nothing to compare", () => {
  expect(seenProblems({ testProblems: pool })).toEqual({});
});
