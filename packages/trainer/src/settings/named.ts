import type { BudgetOptions } from "@laconic/budget";
import { asEstimator, inputError, isRecord, mapValues, present } from "@laconic/core";
import type { Estimator, Objective, Schedule } from "@laconic/core";
import { estimatorPreset, objectivePreset, type EstimatorName, type EstimatorOptions } from "@laconic/gspo/presets";
import { costPreset, decoupledEstimator, equation1Costs, type CostSettings, type Costs } from "@laconic/rewards";
import type { AdvantageSettings, CreditSettings, ObjectiveSettings, TrainConfig } from "./config.ts";
import { credits, type Credit } from "./credit.ts";
import { checkedSchedule, learningRateAt, type LearningRateSchedule } from "./schedules.ts";
import { isValueSource, type TrainValues, type Value } from "./values.ts";

/** Returns false for an estimator object. */
export function isNamedEstimator(choice: unknown): choice is AdvantageSettings {
  return isRecord(choice) && typeof choice["estimator"] === "string";
}

/** Returns false for an objective object. */
export function isNamedObjective(choice: unknown): choice is ObjectiveSettings {
  return isRecord(choice) && !isValueSource(choice) && typeof choice["evaluate"] !== "function";
}

/** Returns true for options of Eq. 5, false for a budget object. */
export function isNamedBudget(choice: unknown): choice is BudgetOptions {
  return isRecord(choice) && "targetTokens" in choice;
}

function isNamedCredit(choice: TrainConfig["credit"]): choice is CreditSettings {
  return isRecord(choice) && !isValueSource(choice);
}

/** Whether all messages get the reward of the episode. */
export function sharesReward({ credit }: Pick<TrainConfig, "credit">): boolean {
  return isNamedCredit(credit) && credit.kind === "shared";
}

/** Null if all messages share the reward. */
export function creditOf({ credit }: Pick<TrainConfig, "credit">): Credit | null {
  if (!isNamedCredit(credit)) return valueIn<"credit">(credit);
  if (credit.kind === "shared") return null;
  return credit.kind === "shapley" ? credits.shapley(credit.samples ?? null) : credits[credit.kind];
}

export function isNamedCost(choice: unknown): choice is CostSettings {
  return isRecord(choice) && typeof choice["kind"] === "string";
}

/** Returns true for learning-rate options, false for a schedule. */
export function isNamedRate(choice: unknown): choice is LearningRateSchedule {
  return isRecord(choice) && "peak" in choice;
}

/** Returns a loaded value. @throws LaconicError `input_invalid` for a source that is not loaded */
export function valueIn<Kind extends keyof TrainValues>(value: Value<Kind>): TrainValues[Kind] {
  if (!isValueSource(value)) return value;
  throw inputError(`${value.file} is not opened: the runtime opens the values of a configuration`, {
    file: value.file,
  });
}

/** @throws LaconicError `config_invalid` for an invalid option */
export function estimatorOf({
  advantage,
  costWhenTaskAtLeast,
}: Pick<TrainConfig, "advantage" | "costWhenTaskAtLeast">): Estimator {
  if (!isNamedEstimator(advantage)) return asEstimator(valueIn<"estimator">(advantage));
  if (advantage.estimator === "decoupled") {
    const { estimator: _, ...options } = advantage;
    return decoupledEstimator({ ...options, ...present({ costWhenTaskAtLeast }) });
  }
  const { estimator, ...options } = advantage;
  return estimatorPreset(estimator, options as EstimatorOptions[EstimatorName]);
}

/** @throws LaconicError `config_invalid` for an invalid option */
export function objectiveOf(choice: TrainConfig["objective"]): Objective {
  if (!isNamedObjective(choice)) return valueIn<"objective">(choice);
  const { name, ...options } = choice;
  return objectivePreset(name, options);
}

/** Costs by name. Default: those of Eq. 1. @throws LaconicError `config_invalid` naming the setting */
export function costsOf({ costs }: Pick<TrainConfig, "costs">): Costs {
  if (costs === null) return equation1Costs;
  return mapValues(costs, (cost, name) =>
    isNamedCost(cost) ? costPreset(cost, `costs.${name}`) : valueIn<"cost">(cost),
  );
}

export function rateOf(choice: TrainConfig["optimizer"]["learningRate"]): Schedule {
  if (isNamedRate(choice)) return (step, steps) => learningRateAt(choice, step, steps);
  return checkedSchedule(valueIn<"schedule">(choice), "learning rate");
}

export function temperatureOf({ sampling: { temperature } }: Pick<TrainConfig, "sampling">): Schedule {
  if (typeof temperature === "number") return () => temperature;
  return checkedSchedule(valueIn<"schedule">(temperature), "temperature");
}

/** Correction for samples of another policy. */
export function importanceOf({ objective }: Pick<TrainConfig, "objective">): ObjectiveSettings["importance"] {
  return isNamedObjective(objective) ? objective.importance : undefined;
}

/** Custom estimator object of a policy or the run. */
export function estimatorValue(
  { advantage, policies }: Pick<TrainConfig, "advantage" | "policies">,
  policy: string,
): Estimator | undefined {
  const choice = policies[policy]?.advantage ?? advantage;
  return typeof choice === "object" && !isNamedEstimator(choice) && !isValueSource(choice) ? choice : undefined;
}
