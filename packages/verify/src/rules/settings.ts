import { absent, byName, chosen, isObject, unknownIn, type Group, type Json, type Known } from "./closed-set.ts";

/** Eq. 1 of Agent-GSPO: tokens, turns and repetition; read tokens are the ledger's other count. */
const costs = byName(
  chosen("kind", {
    "tokens-written": { "by?": "string" },
    "tokens-read": { "by?": "string", "from?": "string" },
    turns: { "by?": "string", "count?": ["spoken", "all"] },
    repetition: { "by?": "string", n: "number", of: ["words", "characters"], against: ["utterance", "episode"] },
  }),
);

/** Eq. 5, with the warm-up, annealing, proportional term, ceiling and guard of its control law. */
const budget: Known = {
  ...{ targetTokens: "number", learningRate: "number", "unit?": ["token"], "initialPrice?": "number" },
  ...{ "maxPrice?": "number", "warmupIterations?": "number", "warmupPrice?": "number", "annealIterations?": "number" },
  ...{ "antiWindup?": [true], "truncationTolerance?": "number", "proportionalGain?": "number", "derivativeGain?": [0] },
  "guard?": {
    action: ["freeze"],
    "rewardTolerance?": "number",
    "referenceReward?": "number",
    "maxSilenceRate?": "number",
  },
};

/** Eq. 2, GRPO and MAGRPO: rewards about the mean of their group. */
const advantage: Known = chosen("estimator", {
  group: {
    "scale?": ["none", "group"],
    "std?": ["sample", "population"],
    "epsilon?": "number",
    "epsilonForm?": ["add"],
  },
});

const clip: Group = { "clip?": { low: "number", high: "number" } };
const kl: Group = { "kl?": { estimator: ["k3"], coefficient: "number" } };
const aggregation: Group = { "aggregation?": ["seq-mean-token-mean", "token-mean", "seq-mean-token-sum"] };

/** The papers' losses: Agent-GSPO, AgentPO as printed and as released, MAGRPO. */
const objective: Known = chosen("name", {
  gspo: { ...clip, ...kl, "minLength?": "number" },
  grpo: { ...clip, ...kl, ...aggregation, "dualClip?": "number" },
  dapo: { ...clip, ...kl, "dualClip?": "number" },
  magrpo: {},
});

const learningRate: Known = {
  ...{ peak: "number", warmUpSteps: "number", finalFraction: "number" },
  decay: ["constant", "linear", "cosine"],
};

const tree: Known = { "mode?": "any", gamma: "number", "stopAbove?": "any" };

const charged: Group = { costs, prices: byName("number"), costWhenTaskAtLeast: absent, opponents: absent };
const shared: Group = { credit: { kind: ["shared"] }, opponents: absent };
const grouped: Group = {
  groupBy: ["prompt", "prompt+agent", "prompt+agent+turn", "tree-node"],
  weightBy: ["episode", "turn"],
};

/** What is recomputed from records, with all settings that enter it and the values that its formula computes. */
const quantities: Readonly<Record<Quantity, Group>> = {
  rewards: charged,
  prices: { prices: byName("number"), budget, budgets: byName(budget), opponents: absent },
  advantages: { ...shared, ...grouped, advantage, tree: absent },
  // A tree's returns charge costs round by round.
  "advantages of trees": { ...shared, ...charged, advantage, tree },
  losses: { objective, ratioUnit: ["message"], asynchronous: absent },
  "learning rates": { learningRate },
};

/** A quantity that is recomputed from records. */
export type Quantity = ("rewards" | "prices" | "advantages" | "advantages of trees") | ("losses" | "learning rates");

/** Settings that decide what is played, kept or stopped. They enter no formula: what was played is in the records. */
const played = new Set(
  `seed steps problemsPerStep episodesPerProblem minibatches epochs refreshOldPolicyEvery oldLogProbs problemPool
  curriculum sampling scoring limits onAgentError reward groupReward supervised optimizer policies evaluation divergence
  earlyStopping checkpoint retention`.split(/\s+/u),
);

const entering = new Set<string>(Object.values(quantities).flatMap((group) => Object.keys(group)));

type Named<Keys extends string, Value = number> = Readonly<Record<Keys, Value>>;

/** A learning rate over optimiser steps. */
export type Schedule = Named<"peak" | "warmUpSteps" | "finalFraction"> &
  Named<"decay", "constant" | "linear" | "cosine">;

/** A budget of Eq. 5. */
export type BudgetSettings = Named<"targetTokens" | "learningRate"> &
  Partial<Named<"initialPrice" | "maxPrice" | "warmupIterations" | "warmupPrice" | "annealIterations">> &
  Partial<Named<"truncationTolerance" | "proportionalGain">> &
  Partial<Named<"guard", Partial<Named<"rewardTolerance" | "referenceReward" | "maxSilenceRate">>>>;

/** A cost of Eq. 1. */
export type CostSettings = Named<"kind", "tokens-written" | "tokens-read" | "turns" | "repetition"> &
  Partial<Named<"by" | "from" | "count" | "of" | "against", string>> &
  Partial<Named<"n">>;

/** An advantage about the mean of a group. */
export type AdvantageSettings = Partial<Named<"scale" | "std", string> & Named<"epsilon">>;

/** One of the papers' losses. */
export type ObjectiveSettings = Named<"name", "gspo" | "grpo" | "dapo" | "magrpo"> &
  Partial<Named<"minLength" | "dualClip"> & Named<"aggregation", string>> &
  Partial<Named<"clip", Named<"low" | "high">> & Named<"kl", Named<"coefficient">>>;

/** `train` of a run's configuration: of a quantity's settings only what `unknownSetting` lets pass may be read. */
export type TrainSettings = Named<"steps" | "problemsPerStep" | "episodesPerProblem" | "minibatches" | "epochs"> &
  Named<"seed" | "oldLogProbs" | "groupBy" | "weightBy", string> &
  Named<"evaluation", Named<"every" | "problems">> &
  Named<"costs", Named<string, CostSettings> | null> &
  Named<"prices", Named<string>> &
  Named<"budget", BudgetSettings | null> &
  Named<"budgets", Named<string, BudgetSettings>> &
  Named<"advantage", AdvantageSettings> &
  Named<"tree", Named<"gamma"> | null> &
  Named<"objective", ObjectiveSettings> &
  Named<"learningRate", Schedule> &
  Named<"asynchronous", Json | null> &
  Named<"problemPool" | "policies", unknown> &
  Partial<Named<"reward" | "curriculum", unknown>>;

/** The settings of a policy: its own replace those of the run. */
export function settingsOf(train: TrainSettings, policy?: string): TrainSettings {
  const { optimizer, policies } = train as unknown as Readonly<Record<"optimizer" | "policies", unknown>>;
  const merged = { ...train, learningRate: isObject(optimizer) ? optimizer["learningRate"] : undefined };
  const own = policy !== undefined && isObject(policies) ? policies[policy] : undefined;
  const { prices: _, budget: __, ...replacing } = isObject(own) ? own : {};
  return { ...merged, ...replacing } as TrainSettings;
}

/**
 * The first setting that keeps a quantity from being recomputed: one that enters it with a value outside its closed set, or one of
 * `train` that is not listed here at all; null where the quantity is covered.
 */
export function unknownSetting(quantity: Quantity, train: TrainSettings, policy?: string): string | null {
  const settings = settingsOf(train, policy) as unknown as Json;
  const unlisted = Object.keys(settings).find((key) => !entering.has(key) && !played.has(key) && !isOff(settings[key]));
  if (unlisted !== undefined) return `train.${unlisted}`;
  for (const [key, known] of Object.entries<Known>(quantities[quantity])) {
    const unknown = unknownIn(settings[key], known, key === "learningRate" ? `train.optimizer.${key}` : `train.${key}`);
    if (unknown !== null) return unknown;
  }
  return null;
}

const isOff = (value: unknown): boolean =>
  value === null || value === undefined || value === false || (isObject(value) && Object.keys(value).length === 0);
