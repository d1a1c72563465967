import type { LanguageModel, SupervisedExamples } from "@laconic/core";
import { costPreset, type Cost } from "@laconic/rewards";
import type { TrainConfig, TrainedPolicy, TrainingParts } from "@laconic/trainer";
import { ownAt, ownKeyAt, type OwnKey, type OwnValue } from "./own-keys.ts";
import type { Reference } from "./reference.ts";
import { resolveReference } from "./resolve.ts";

/** What a run learns by, as the trainer takes it. */
export type OpenedValues = Omit<Partial<TrainingParts>, "task" | "policies" | "frozen" | "source">;

type OpenedPolicyValues = Omit<Partial<TrainedPolicy>, "model" | "speak" | "agents">;

/**
 * Opens what a run learns by.
 * @throws LaconicError `config_invalid` naming file and export of what is no value of its kind
 */
export async function openValues(
  own: readonly OwnValue[],
  { costs }: Pick<TrainConfig, "costs">,
): Promise<OpenedValues> {
  const opened = await openAll(own.filter(({ path: [first] }) => first !== "policies" && first !== "supervised"));
  const parts: Record<string, unknown> = {};
  const ownCosts: Record<string, Cost> = {};
  const budgets: Record<string, unknown> = {};
  for (const { key, path, value } of opened)
    if (key.part === "costs") ownCosts[path.at(-1) as string] = value as Cost;
    else if (key.part === "budgets") budgets[path[1] ?? "tokens"] = value;
    else parts[key.part] = value;
  if (Object.keys(budgets).length > 0) parts["budgets"] = budgets;
  if (Object.keys(ownCosts).length === 0) return parts;
  const named = Object.entries(costs ?? {}).map(([name, each]) => [name, costPreset(each, `costs.${name}`)] as const);
  return { ...parts, costs: { ...Object.fromEntries(named), ...ownCosts } };
}

/** Opens what each policy learns by, by its name. */
export async function openPolicyValues(own: readonly OwnValue[]): Promise<Record<string, OpenedPolicyValues>> {
  const found: Record<string, Record<string, unknown>> = {};
  for (const { key, path, value } of await openAll(own.filter(({ path: [first] }) => first === "policies")))
    (found[path[1] as string] ??= {})[key.part] = value;
  return found;
}

/** Supervised examples that are mixed in; null where there are none. Evaluations do without. */
export async function openMixedExamples(own: readonly OwnValue[]): Promise<SupervisedExamples | null> {
  const reference = ownAt(own, "supervised", "examples");
  return reference ? openExamples(reference) : null;
}

/** @throws LaconicError `config_invalid` naming what is no list or function of examples, `data_invalid` naming file and row */
export async function openExamples(reference: Reference): Promise<SupervisedExamples> {
  return (await resolveReference(reference, "examples")) as SupervisedExamples;
}

async function openAll(own: readonly OwnValue[]): Promise<(OwnValue & { key: OwnKey; value: unknown })[]> {
  return Promise.all(
    own.map(async (each) => {
      const key = ownKeyAt(each.path) as OwnKey;
      return { ...each, key, value: await resolveReference(each.reference, key.kind) };
    }),
  );
}

/** A model of the user's own that speaks for those who do not learn. */
export async function openActor(reference: Reference): Promise<LanguageModel> {
  return (await resolveReference(reference, "actor")) as LanguageModel;
}
