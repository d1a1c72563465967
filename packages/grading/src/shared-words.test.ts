import { expect, test } from "vitest";
import { sharedWords, gradeText } from "./text-answer.ts";

// Computed by the rule of hotpot_evaluate_v1.py in Python.
test.for([
  ["The Beatles", "beatles", true, 1],
  ["the Beatles, of Liverpool", "The Beatles", false, 0.5],
  ["yes", "Yes.", true, 1],
  ["yes, it is", "yes", false, 0],
  ["no", "yes", false, 0],
  ["New York City", "York, New", false, 0.8],
  ["a b a b b", "b b a", false, 0.8],
  ["U.S.A.", "usa", true, 1],
  ["théa a", "théa", true, 1],
  ["the", "a", true, 0],
  ["Ann-Marie O'Neil", "annmarie oneil", true, 1],
  ["1,000 an hour", "1000 hour", true, 1],
  ["éa the x", "éa x", true, 1],
  ["“quoted”", "quoted", false, 0],
  ["", "x", false, 0],
] as const)("compares %s with %s", ([answer, gold, same, f1]) => {
  const shared = sharedWords(answer, gold);
  expect(shared.same).toBe(same);
  expect(shared.f1).toBeCloseTo(f1, 12);
});

test("a reply is judged by its answer alone: paragraphs that it quotes give nothing", () => {
  const words = { words: true } as const;
  expect(gradeText("Ann was born in Rome.\n#### rome", "Rome", words)).toMatchObject({ correct: true, score: 1 });
  expect(gradeText("Rome is named.\n#### Rome or Paris", "Rome", words)).toMatchObject({ correct: false, score: 0.5 });
  expect(gradeText("Rome is named.\nParis too.", "Rome", words)).toMatchObject({ correct: false, score: 0 });
});
