import type { Estimator, EstimatorFunction, LanguageModel, Objective, Reward } from "@laconic/core";
import { costPreset, type Cost, type Costs } from "@laconic/rewards";
import type { TrainConfig } from "@laconic/trainer";
import type { Reference } from "./reference.ts";
import { resolveReference } from "./resolve.ts";

/** Values of the user's own that a run learns by, in place of what its settings name. */
export interface OwnValues {
  readonly reward?: Reference;
  readonly advantage?: Reference;
  readonly objective?: Reference;
  /** By name, beside those that have a kind. */
  readonly costs?: Readonly<Record<string, Reference>>;
  readonly policies?: Readonly<Record<string, OwnPolicyValues>>;
}

/** The same of one policy. */
export interface OwnPolicyValues {
  readonly advantage?: Reference;
  readonly objective?: Reference;
}

/** Opened, as the trainer takes them. */
export interface OpenedValues {
  readonly reward?: Reward;
  readonly estimator?: Estimator | EstimatorFunction;
  readonly objective?: Objective;
  readonly costs?: Costs;
}

type OpenedPolicyValues = Pick<OpenedValues, "estimator" | "objective">;

/**
 * Opens what a run learns by.
 * @throws LaconicError `config_invalid` naming file and export of what is no reward, estimator, objective or cost
 */
export async function openValues(own: OwnValues, { costs }: Pick<TrainConfig, "costs">): Promise<OpenedValues> {
  const opened: OpenedValues = {
    ...(await openLearning(own)),
    ...(own.reward && { reward: (await resolveReference(own.reward, "reward")) as Reward }),
  };
  if (!own.costs) return opened;
  const named = Object.entries(costs ?? {}).map(([name, each]) => [name, costPreset(each, `costs.${name}`)] as const);
  const made = await Promise.all(
    Object.entries(own.costs).map(
      async ([name, reference]) => [name, (await resolveReference(reference, "cost")) as Cost] as const,
    ),
  );
  return { ...opened, costs: Object.fromEntries([...named, ...made]) };
}

/** Opens what each policy learns by, by its name. */
export async function openPolicyValues({ policies = {} }: OwnValues): Promise<Record<string, OpenedPolicyValues>> {
  return Object.fromEntries(
    await Promise.all(Object.entries(policies).map(async ([name, own]) => [name, await openLearning(own)] as const)),
  );
}

async function openLearning({ advantage, objective }: OwnPolicyValues): Promise<OpenedPolicyValues> {
  return {
    ...(advantage && {
      estimator: (await resolveReference(advantage, "estimator")) as Estimator | EstimatorFunction,
    }),
    ...(objective && { objective: (await resolveReference(objective, "objective")) as Objective }),
  };
}

/** A model of the user's own that speaks for those who do not learn. */
export async function openActor(reference: Reference): Promise<LanguageModel> {
  return (await resolveReference(reference, "actor")) as LanguageModel;
}
