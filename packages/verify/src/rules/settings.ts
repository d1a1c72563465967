import type { Findings } from "../findings.ts";
import { absent, byName, chosen, isObject, unknownIn, type Group, type Json, type Known } from "./closed-set.ts";

const numbers = (names: string): Group => Object.fromEntries(names.split(" ").map((name) => [name, "number"]));

const costs = byName(
  chosen("kind", {
    "tokens-written": { "by?": "string" },
    "tokens-read": { "by?": "string" },
    turns: { "by?": "string", "count?": ["spoken", "all"] },
    repetition: { "by?": "string", n: "number", of: ["words", "characters"], against: ["utterance", "episode"] },
  }),
);

/** Eq. 5 with warm-up, annealing, proportional term, ceiling and guard. */
const budget: Known = {
  ...numbers("targetTokens learningRate initialPrice? maxPrice? warmupIterations? warmupPrice? annealIterations?"),
  ...numbers("truncationTolerance? proportionalGain?"),
  "unit?": ["token"],
  "antiWindup?": [true],
  "derivativeGain?": [0],
  "guard?": { action: ["freeze"], ...numbers("rewardTolerance? referenceReward? maxSilenceRate?") },
};

/** Eq. 2, GRPO and MAGRPO: rewards minus their group's mean. */
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

const objective = chosen("name", {
  gspo: { ...ratios, "minLength?": "number" },
  grpo: { ...ratios, "aggregation?": ["seq-mean-token-mean"], "dualClip?": "number" },
  dapo: { ...ratios, "dualClip?": "number" },
  magrpo: {},
});

const learningRate: Known = { ...numbers("peak warmUpSteps finalFraction"), decay: ["constant", "linear", "cosine"] };
const prices = byName("number");

/** Recomputed quantities, with all settings that affect them and their supported values. */
const quantities: Readonly<Record<Quantity, Group>> = {
  rewards: { costs, prices, costWhenTaskAtLeast: absent, opponents: absent },
  prices: { prices, budget, budgets: byName(budget), opponents: absent },
  advantages: { credit: { kind: ["shared"] }, groupBy: ["prompt"], advantage, tree: absent, opponents: absent },
  losses: { objective, ratioUnit: ["message"], asynchronous: absent },
  "learning rates": { learningRate },
};

type Quantity = "rewards" | "prices" | "advantages" | "losses" | "learning rates";

/** Settings that affect sampling, storage or stopping. The records contain their result, so no formula needs them. */
const played = new Set(
  `seed steps problemsPerStep episodesPerProblem minibatches epochs refreshOldPolicyEvery oldLogProbs problemPool
  curriculum sampling scoring limits onAgentError reward groupReward supervised optimizer policies evaluation divergence
  earlyStopping checkpoint weightBy`.split(/\s+/u),
);

const entering = new Set<string>(Object.values(quantities).flatMap((group) => Object.keys(group)));

type Named<Keys extends string, Value = number> = Readonly<Record<Keys, Value>>;

export type Schedule = Named<"peak" | "warmUpSteps" | "finalFraction"> &
  Named<"decay", "constant" | "linear" | "cosine">;

export type BudgetSettings = Named<"targetTokens" | "learningRate"> &
  Partial<Named<"initialPrice" | "maxPrice" | "warmupIterations" | "warmupPrice" | "annealIterations">> &
  Partial<Named<"truncationTolerance" | "proportionalGain">> &
  Partial<Named<"guard", Partial<Named<"rewardTolerance" | "referenceReward" | "maxSilenceRate">>>>;

export type CostSettings = Named<"kind", "tokens-written" | "tokens-read" | "turns" | "repetition"> &
  Partial<Named<"by" | "count" | "of" | "against", string> & Named<"n">>;

export type AdvantageSettings = Partial<Named<"scale" | "std", string> & Named<"epsilon">>;

export type ObjectiveSettings = Named<"name", "gspo" | "grpo" | "dapo" | "magrpo"> &
  Partial<Named<"minLength" | "dualClip">> &
  Partial<Named<"clip", Named<"low" | "high">> & Named<"kl", Named<"coefficient">>>;

/** `train` of a configuration. Read a quantity's settings only after `covers` accepts them. */
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

export function settingsOf(train: TrainSettings, policy?: string): TrainSettings {
  const { optimizer, policies } = train as unknown as Readonly<Record<"optimizer" | "policies", unknown>>;
  const merged = { ...train, learningRate: isObject(optimizer) ? optimizer["learningRate"] : undefined };
  const own = policy !== undefined && isObject(policies) ? policies[policy] : undefined;
  const { prices: _, budget: __, ...replacing } = isObject(own) ? own : {};
  return { ...merged, ...replacing } as TrainSettings;
}

/**
 * Whether a quantity can be recomputed: its settings have supported values, and `train` has no unlisted setting. The
 * first other setting is reported as not covered.
 */
export function covers(findings: Findings, quantity: Quantity, train: TrainSettings, policy?: string): boolean {
  const settings = settingsOf(train, policy) as unknown as Json;
  const isKnown = (key: string): boolean => entering.has(key) || played.has(key) || isOff(settings[key]);
  const unlisted = Object.keys(settings).find((key) => !isKnown(key));
  let unknown = unlisted === undefined ? null : `train.${unlisted}`;
  for (const [key, registry] of Object.entries(quantities[quantity]))
    unknown ??= unknownIn(settings[key], registry, key === "learningRate" ? `train.optimizer.${key}` : `train.${key}`);
  if (unknown !== null) findings.leaveOut(unknown, quantity);
  return unknown === null;
}

const isOff = (value: unknown): boolean =>
  value === null || value === undefined || value === false || (isObject(value) && Object.keys(value).length === 0);

/** Settings outside `train` that affect no formula. Others are reported as not covered. */
export function checkConfig(findings: Findings, config: Json): void {
  if (!isObject(config["train"])) return;
  for (const [key, value] of Object.entries(config))
    if (!outside.has(key) && !isOff(value)) findings.leaveOut(`config.${key}`, "whatever it enters");
}

const outside = new Set(
  `train task model bases teachers chatTemplateArguments device workers deterministic sinks warmStart engine sampler actor policies
  lora memory`.split(/\s+/u),
);
