import { expect, test } from "vitest";
import { factorsOf } from "./choose-variants.ts";

const factors = (...keys: readonly string[]): string[] =>
  factorsOf(keys.map((key) => ({ key, before: "1", now: "2" }))).map(({ name }) => name);

test.each([
  [["train.objective.name", "train.objective.clip.low"], ["ratios and their bounds"]],
  [["train.objective.kl", "train.objective.kl.coefficient"], ["KL term"]],
  [
    ["train.objective.name", "train.objective.kl"],
    ["ratios and their bounds", "KL term"],
  ],
  [["train.budget", "train.prices.tokens", "task.showBudget"], ["price"]],
  [["train.policies.first.objective.kl", "train.objective.kl"], ["KL term"]],
  [
    ["train.optimizer.learningRate.peak", "train.optimizer.weightDecay"],
    ["learning rate", "train.optimizer"],
  ],
  [["train.steps"], ["train.steps"]],
  [
    ["model", "task.level"],
    ["model", "task.level"],
  ],
])("%j are %j", (keys, expected) => {
  expect(factors(...keys)).toEqual(expected);
});
