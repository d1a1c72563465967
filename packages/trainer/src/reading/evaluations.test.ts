import { expect, test } from "vitest";
import { familyTable, type GroupFigures, type RunEvaluation } from "./evaluations.ts";

const figures = (accuracy: number, measures: Readonly<Record<string, number>> = {}): GroupFigures => ({
  problems: 10,
  accuracy,
  tokens: 9,
  measures,
});
const evaluation = (step: number, groups?: RunEvaluation["groups"]): RunEvaluation => ({
  step,
  problems: 20,
  accuracy: 0.5,
  interval: [0.4, 0.6],
  tokens: 9,
  silence: {},
  ...(groups && { groups }),
});

test("families have their shares before, after and on the test, trained ones first", () => {
  const first = evaluation(0, { new: figures(0.1, { idle_silent: 0.2, words: 3 }), known: figures(0.2) });
  const last = evaluation(9, { new: figures(0.6, { idle_silent: 0.9, words: 2 }), known: figures(0.7) });
  const tested = evaluation(9, { other: figures(0.5, { idle_silent: 1 }), known: figures(0.8) });
  const table = familyTable([first, evaluation(5), last], tested);
  expect(table?.columns.map(({ measure, at }) => `${measure} ${at}`)).toEqual([
    "right step 0",
    "right step 9",
    "right test",
    "idle silent step 0",
    "idle silent step 9",
    "idle silent test",
  ]);
  expect(table?.rows).toEqual([
    { family: "known", isTrained: true, problems: 10, shares: [0.2, 0.7, 0.8, null, null, null] },
    { family: "new", isTrained: false, problems: 10, shares: [0.1, 0.6, null, 0.2, 0.9, null] },
    { family: "other", isTrained: false, problems: 10, shares: [null, null, 0.5, null, null, 1] },
  ]);
});

test("a run without groups has no families; a run with one measurement has one column of each", () => {
  expect(familyTable([evaluation(0), evaluation(9)], null)).toBeNull();
  expect(familyTable([], null)).toBeNull();
  expect(familyTable([evaluation(0, { known: figures(0.5) })], null)?.columns).toEqual([
    { measure: "right", at: "step 0" },
  ]);
});
