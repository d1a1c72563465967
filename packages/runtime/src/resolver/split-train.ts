import { agentGspoDefaults, type TrainConfig } from "@laconic/trainer";
import { isRecord, isReference, type Reference } from "./reference.ts";
import type { OwnPolicyValues, OwnValues } from "./run-values.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * Stands where a value of the user's own does, for the trainer's checks of the settings beside it: `raw` asks nothing of
 * them, and no objective beside the plain one asks for a reference policy. The value replaces it.
 */
const stand = { advantage: { estimator: "raw" }, objective: agentGspoDefaults.objective } as const;

/** Parts training settings from the values among them. */
export function splitTrain(train: Json): { readonly settings: Json; readonly own: OwnValues } {
  const { reward, ...rest } = train;
  const policies = isRecord(train["policies"]) ? train["policies"] : {};
  const ownPolicies = Object.entries(policies).map(
    ([name, each]) => [name, isRecord(each) ? learningIn(each) : {}] as const,
  );
  const costs = isRecord(train["costs"]) ? train["costs"] : {};
  const ownCosts = onlyReferences(costs);
  const settled = { ...rest, ...standsFor(learningIn(train)) };
  return {
    settings: {
      ...settled,
      ...(reward !== undefined && !isReference(reward) && { reward }),
      ...(ownCosts && { costs: Object.fromEntries(Object.entries(costs).filter(([, each]) => !isReference(each))) }),
      ...(isRecord(train["policies"]) && {
        policies: Object.fromEntries(
          Object.entries(policies).map(([name, each]) => [
            name,
            isRecord(each) ? { ...each, ...standsFor(learningIn(each)) } : each,
          ]),
        ),
      }),
    },
    own: {
      ...learningIn(train),
      ...(isReference(reward) && { reward }),
      ...(ownCosts && { costs: ownCosts }),
      ...(ownPolicies.some(([, own]) => Object.keys(own).length > 0) && {
        policies: Object.fromEntries(ownPolicies.filter(([, own]) => Object.keys(own).length > 0)),
      }),
    },
  };
}

/** The settings with the values at their keys again: what {@link splitTrain} parted. */
export function joinTrain(train: TrainConfig, { policies = {}, costs, ...own }: OwnValues): Json {
  return {
    ...train,
    ...own,
    ...(costs && { costs: { ...train.costs, ...costs } }),
    policies: Object.fromEntries(
      Object.entries(train.policies).map(([name, each]) => [name, { ...each, ...policies[name] }]),
    ),
  };
}

function learningIn({ advantage, objective }: Json): OwnPolicyValues {
  return { ...(isReference(advantage) && { advantage }), ...(isReference(objective) && { objective }) };
}

function standsFor({ advantage, objective }: OwnPolicyValues): Json {
  return { ...(advantage && { advantage: stand.advantage }), ...(objective && { objective: stand.objective }) };
}

function onlyReferences(group: Json): Record<string, Reference> | null {
  const found = Object.entries(group).flatMap(([name, each]) => (isReference(each) ? [[name, each] as const] : []));
  return found.length === 0 ? null : Object.fromEntries(found);
}
