import type { Findings } from "../findings.ts";
import { absent, byName, chosen, isObject, unknownIn, type Group, type Json, type Known } from "./closed-set.ts";

const numbers = (names: string): Group => Object.fromEntries(names.split(" ").map((name) => [name, "number"]));

/** Eq. 1 of Agent-GSPO: tokens, turns and repetition; read tokens are the ledger's other count. */
const costs = byName(
  chosen("kind", {
    "tokens-written": { "by?": "string" },
    "tokens-read": { "by?": "string" },
    turns: { "by?": "string", "count?": ["spoken", "all"] },
    repetition: { "by?": "string", n: "number", of: ["words", "characters"], against: ["utterance", "episode"] },
  }),
);

/** Eq. 5, with the warm-up, annealing, proportional term, ceiling and guard of its control law. */
const budget: Known = {
  ...numbers("targetTokens learningRate initialPrice? maxPrice? warmupIterations? warmupPrice? annealIterations?"),
  ...numbers("truncationTolerance? proportionalGain?"),
  "unit?": ["token"],
  "antiWindup?": [true],
  "derivativeGain?": [0],
  "guard?": { action: ["freeze"], ...numbers("rewardTolerance? referenceReward? maxSilenceRate?") },
};

/** Eq. 2, GRPO and MAGRPO: rewards about the mean of their group. */
const advantage = chosen("estimator", {
  group: {
    "scale?": ["none", "group"],
    "std?": ["sample", "population"],
    "epsilonForm?": ["add"],
    ...numbers("epsilon?"),
  },
});

const kl: Group = { estimator: ["k3"], coefficient: "number", "biasCorrection?": [false] };
const ratios: Group = { "clip?": numbers("low high"), "kl?": kl };

/** The papers' losses: Agent-GSPO, AgentPO as printed and as released, MAGRPO. */
const objective = chosen("name", {
  gspo: { ...ratios, "minLength?": "number" },
  grpo: { ...ratios, "aggregation?": ["seq-mean-token-mean"], "dualClip?": "number" },
  dapo: { ...ratios, "dualClip?": "number" },
  magrpo: {},
});

const learningRate: Known = { ...numbers("peak warmUpSteps finalFraction"), decay: ["constant", "linear", "cosine"] };
const prices = byName("number");

/** What is recomputed from records, with all settings that enter it and the values that its formula computes. */
const quantities: Readonly<Record<Quantity, Group>> = {
  rewards: { costs, prices, costWhenTaskAtLeast: absent, opponents: absent },
  prices: { prices, budget, budgets: byName(budget), opponents: absent },
  advantages: { credit: { kind: ["shared"] }, groupBy: ["prompt"], advantage, tree: absent, opponents: absent },
  losses: { objective, ratioUnit: ["message"], asynchronous: absent },
  "learning rates": { learningRate },
};

type Quantity = "rewards" | "prices" | "advantages" | "losses" | "learning rates";

/** Settings that decide what is played, kept or stopped. They enter no formula: what was played is in the records. */
const played = new Set(
  `seed steps problemsPerStep episodesPerProblem minibatches epochs refreshOldPolicyEvery oldLogProbs problemPool
  curriculum sampling scoring limits onAgentError reward groupReward supervised optimizer policies evaluation divergence
  earlyStopping checkpoint weightBy`.split(/\s+/u),
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
  Partial<Named<"by" | "count" | "of" | "against", string> & Named<"n">>;

/** An advantage about the mean of a group. */
export type AdvantageSettings = Partial<Named<"scale" | "std", string> & Named<"epsilon">>;

/** One of the papers' losses. */
export type ObjectiveSettings = Named<"name", "gspo" | "grpo" | "dapo" | "magrpo"> &
  Partial<Named<"minLength" | "dualClip">> &
  Partial<Named<"clip", Named<"low" | "high">> & Named<"kl", Named<"coefficient">>>;

/** `train` of a run's configuration: of a quantity's settings only what `covers` lets pass may be read. */
export type TrainSettings = Named<"steps" | "problemsPerStep" | "episodesPerProblem" | "minibatches" | "epochs"> &
  Named<"seed" | "oldLogProbs", string> &
  Named<"evaluation", Named<"every" | "problems">> &
  Named<"costs", Named<string, CostSettings> | null> &
  Named<"prices", Named<string>> &
  Named<"budget", BudgetSettings | null> &
  Named<"budgets", Named<string, BudgetSettings>> &
  Named<"advantage", AdvantageSettings> &
  Named<"objective", ObjectiveSettings> &
  Named<"learningRate", Schedule> &
  Named<"asynchronous", Json | null> &
  Partial<Named<"problemPool" | "reward" | "curriculum", unknown>>;

/** The settings of a policy: its own replace those of the run. */
export function settingsOf(train: TrainSettings, policy?: string): TrainSettings {
  const { optimizer, policies } = train as unknown as Readonly<Record<"optimizer" | "policies", unknown>>;
  const merged = { ...train, learningRate: isObject(optimizer) ? optimizer["learningRate"] : undefined };
  const own = policy !== undefined && isObject(policies) ? policies[policy] : undefined;
  const { prices: _, budget: __, ...replacing } = isObject(own) ? own : {};
  return { ...merged, ...replacing } as TrainSettings;
}

/**
 * Whether a quantity can be recomputed: all settings that enter it have values of its closed set, and `train` has none that is not
 * listed here at all. The first other one is left out by name.
 */
export function covers(findings: Findings, quantity: Quantity, train: TrainSettings, policy?: string): boolean {
  const settings = settingsOf(train, policy) as unknown as Json;
  const isKnown = (key: string): boolean => entering.has(key) || played.has(key) || isOff(settings[key]);
  const unlisted = Object.keys(settings).find((key) => !isKnown(key));
  let unknown = unlisted === undefined ? null : `train.${unlisted}`;
  for (const [key, known] of Object.entries(quantities[quantity]))
    unknown ??= unknownIn(settings[key], known, key === "learningRate" ? `train.optimizer.${key}` : `train.${key}`);
  if (unknown !== null) findings.leaveOut(unknown, quantity);
  return unknown === null;
}

const isOff = (value: unknown): boolean =>
  value === null || value === undefined || value === false || (isObject(value) && Object.keys(value).length === 0);

/** Settings outside `train` decide who plays, and where something is computed. Others are left out by name. */
export function checkConfig(findings: Findings, config: Json): void {
  if (!isObject(config["train"])) return;
  for (const [key, value] of Object.entries(config))
    if (!outside.has(key) && !isOff(value)) findings.leaveOut(`config.${key}`, "whatever it enters");
}

const outside = new Set(
  `train task model bases teachers chatTemplateArguments device workers deterministic sinks warmStart engine sampler actor policies
  lora memory`.split(/\s+/u),
);
