import { expect, test } from "vitest";
import type { Variant, VariantResult } from "./run-variants.ts";
import { chooseTuned, gridOf, parseTuning, withBaseValue } from "./variants.ts";

const variants = [
  { name: "base", about: "as it is", overrides: [] },
  { name: "kl", about: "with KL", overrides: ["train.objective.kl.coefficient=1"] },
];

test.each([
  ["train.steps", /two or more values/u],
  ["train.steps:1", /two or more values/u],
  ["train.steps:1,1", /two or more values/u],
  [":1,2", /two or more values/u],
] as const)("--tune %s is refused", (text, why) => {
  expect(() => parseTuning(text, [101], [1])).toThrow(why);
});

test("a seed that chose may not judge", () => {
  expect(() => parseTuning("a:1,2", [101, 3], [1, 3])).toThrow(/both have 3/u);
});

test("every variant is tried at every value, and takes the best on validation problems, whatever the test says", () => {
  const tuning = parseTuning("train.optimizer.learningRate.peak:1e-4, 3e-4", [101, 102], [1]);
  const grid = gridOf(variants, tuning);
  expect(grid.map(({ name, overrides }) => [name, overrides.at(-1)])).toEqual([
    ["base-value-1", "train.optimizer.learningRate.peak=1e-4"],
    ["base-value-2", "train.optimizer.learningRate.peak=3e-4"],
    ["kl-value-1", "train.optimizer.learningRate.peak=1e-4"],
    ["kl-value-2", "train.optimizer.learningRate.peak=3e-4"],
  ]);
  // Accuracy and tokens of validation; the test says the contrary.
  const found = {
    "base-value-1": [0.9, 20],
    "base-value-2": [0.88, 10],
    "kl-value-1": [0.9, 20],
    "kl-value-2": [0.7, 10],
  };
  const results = Object.entries(found).flatMap(([variant, [accuracy = 0, tokens = 0]]) =>
    tuning.seeds.map((seed): VariantResult => {
      const side = { accuracy, tokens };
      return {
        variant,
        about: "",
        seed,
        before: side,
        after: side,
        test: { accuracy: 1 - accuracy, tokens },
        seconds: 1,
      };
    }),
  );
  const { variants: chosen, rows } = chooseTuned(variants, tuning, results, 0.01);
  expect(chosen.map(({ overrides }) => overrides.at(-1))).toEqual([
    "train.optimizer.learningRate.peak=3e-4",
    "train.optimizer.learningRate.peak=1e-4",
  ]);
  const [base, kl] = chosen as [Variant, Variant];
  expect(withBaseValue(base, [kl, { ...kl, name: "same", overrides: base.overrides }], tuning)).toEqual([
    {
      name: "kl@base",
      about: "with KL; train.optimizer.learningRate.peak as the base has it",
      overrides: ["train.objective.kl.coefficient=1", "train.optimizer.learningRate.peak=3e-4"],
    },
  ]);
  expect(rows.map(({ variant, value, chosen: is }) => [variant, value, is])).toEqual([
    ["base", "1e-4", false],
    ["base", "3e-4", true],
    ["kl", "1e-4", true],
    ["kl", "3e-4", false],
  ]);
  expect(rows[1]?.score).toBeCloseTo(0.78, 12);
});
