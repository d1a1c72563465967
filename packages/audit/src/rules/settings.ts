import { LaconicError, samplingNames, samplingParameters } from "@laconic/core";
import { knownCost } from "./costs.ts";
import { knownAdvantage, type AdvantageSettings } from "./estimators.ts";
import { knownObjective, type ObjectiveSettings } from "./objectives.ts";
import { knownOpponents, type OpponentSettings } from "./opponents.ts";
import { knownBudget, type BudgetSettings } from "./prices.ts";
import { byName, unknownIn, type Json, type Known, type SettingsOf } from "./schema.ts";

const schedule = {
  peak: "number",
  warmUpSteps: "number",
  decay: ["constant", "linear", "cosine"],
  finalFraction: "number",
} as const;

/** A learning rate over optimiser steps. */
export type ScheduleSettings = SettingsOf<typeof schedule>;

const optimizer = {
  beta1: "number",
  beta2: "number",
  epsilon: "number",
  weightDecay: "number",
  // Null never clips.
  maxGradNorm: "number or null",
} as const;

const asynchronous = {
  maxLag: "number",
  importanceCap: "number",
  "activeGroups?": "any",
  "retries?": "any",
  "stale?": ["wait", "drop"],
  "cutStragglers?": { "afterShare?": "any", "seconds?": "any" },
} as const;

/** Cuts change what was drawn, and no log-prob: whatever core lists is known. */
const sampling = {
  ...Object.fromEntries(samplingNames.flatMap((name) => (samplingParameters[name].cuts ? [[`${name}?`, "any"]] : []))),
  temperature: "number",
};

const plain = {
  steps: "number",
  problemsPerStep: "number",
  episodesPerProblem: "number",
  minibatches: "number",
  epochs: "number",
  refreshOldPolicyEvery: "number",
  oldLogProbs: ["recompute", "sampler"],
  groupBy: ["prompt", "prompt+agent", "prompt+agent+turn", "tree-node"],
  weightBy: ["episode", "turn"],
  ratioUnit: ["message", "turn", "trajectory", "joint"],
  credit: { kind: ["shared", "difference", "margin", "quality"], "alpha?": "number" },
  "costWhenTaskAtLeast?": "number",
  "seed?": "any",
  "problemPool?": "any",
  sampling: sampling as { readonly temperature: "number" },
  "scoring?": { "seconds?": "any", "mostUnscored?": "any" },
  "limits?": {
    "maxTurns?": "any",
    "maxTokens?": "any",
    "maxTokensPerAgent?": "any",
    "maxSeconds?": "any",
    "maxSecondsPerTurn?": "any",
  },
  "onAgentError?": ["throw", "end"],
  "evaluation?": { "every?": "any", "problems?": "any", "transcripts?": "any", "language?": "any" },
  "earlyStopping?": { "patience?": "any", "minGain?": "any" },
  "divergence?": { "fall?": "any", "steps?": "any" },
  "checkpoint?": { "every?": "any", "keep?": "any" },
  "retention?": { "partMiB?": "any", "episodesMiB?": "any", "rowsMiB?": "any" },
  "supervised?": {
    batch: "number",
    weight: "number",
    turns: ["all", "last"],
    maxTokens: "number or null",
    long: ["refuse", "truncate"],
    "agent?": "any",
    "examples?": "any",
  },
  "reward?": "any",
  "groupReward?": "any",
  "curriculum?": "any",
} as const;

const tree = { "mode?": ["aligned", "cross"], gamma: "number", "stopAbove?": "any" } as const;

/** What a policy does otherwise than the run. */
interface PolicySettings {
  readonly objective?: ObjectiveSettings | string;
  readonly advantage?: AdvantageSettings | string;
  readonly learningRate?: ScheduleSettings;
  readonly optimizer?: Partial<SettingsOf<typeof optimizer>>;
  readonly prices?: Readonly<Record<string, number>>;
  readonly budget?: BudgetSettings;
}

/** `train` of a run's `config.json`. A text in place of a group is a value of the user's own. */
export type TrainSettings = SettingsOf<typeof plain> & {
  readonly objective: ObjectiveSettings | string;
  readonly advantage: AdvantageSettings | string;
  readonly costs: Readonly<Record<string, unknown>> | null;
  readonly prices: Readonly<Record<string, number>>;
  readonly asynchronous: SettingsOf<typeof asynchronous> | null;
  readonly tree: SettingsOf<typeof tree> | null;
  readonly opponents?: OpponentSettings;
  readonly policies: Readonly<Record<string, PolicySettings>>;
  readonly budget: BudgetSettings | null;
  readonly budgets: Readonly<Record<string, BudgetSettings>>;
  readonly optimizer: SettingsOf<typeof optimizer> & { readonly learningRate: ScheduleSettings };
};

const ofPolicy = {
  objective: knownObjective,
  advantage: knownAdvantage,
  learningRate: schedule,
  optimizer,
  prices: "any",
  budget: knownBudget,
} as const satisfies Readonly<Record<keyof PolicySettings, Known>>;

/** Of the group that a policy may set for itself, all but its optimiser stands in `train` as well. */
const { learningRate: _, optimizer: __, ...ofTeam } = ofPolicy;

const knownTrain: Known = {
  ...plain,
  ...ofTeam,
  policies: byName(ofPolicy),
  costs: byName(knownCost),
  budgets: byName(knownBudget),
  asynchronous,
  opponents: knownOpponents,
  tree,
  optimizer: { ...optimizer, learningRate: schedule },
};

/** Where something is computed, sampled or shown changes no arithmetic: what was sampled and learned is in the records. */
const elsewhere =
  "model bases teachers chatTemplateArguments device workers deterministic sinks task warmStart lessons engine sampler actor".split(
    " ",
  );

const knownConfig: Known = {
  ...Object.fromEntries(elsewhere.map((name) => [name, "any"])),
  policies: ["shared", "own"],
  lora: { rank: "any", alpha: "any", targets: "any", dropout: "any", rankStabilized: "any" },
  memory: { maxTokensPerMicroBatch: "any", cacheGb: "any", recompute: ["none", "layer"] },
  train: knownTrain,
};

/**
 * Refuses a run whose settings ask for something that this audit lacks: it would compute something else, and blame the run.
 * @param written - `config.json`, or the settings of a training alone
 * @throws LaconicError `config_invalid` naming the setting
 */
export function checkKnownSettings(written: Json, file: string): void {
  const setting = unknownIn(written, written["train"] === undefined ? knownTrain : knownConfig);
  if (setting === null) return;
  throw new LaconicError(
    "config_invalid",
    `${file}: this audit does not know ${setting}, so that it cannot tell whether the run is right; audit with the laconic that made the run`,
    { file, setting },
  );
}

/** The settings that hold for one policy: its own over those of the run. */
export interface ResolvedSettings extends TrainSettings {
  readonly hasOwnBudget: boolean;
}

/** Settings of a policy, over the run's. */
export function settingsOf(train: TrainSettings, policy: string): ResolvedSettings {
  const own = Object.hasOwn(train.policies, policy) ? (train.policies[policy] ?? {}) : {};
  const { learningRate, optimizer: rule, ...rest } = own;
  return {
    ...train,
    ...rest,
    optimizer: { ...train.optimizer, ...rule, ...(learningRate && { learningRate }) },
    hasOwnBudget: own.prices !== undefined || own.budget !== undefined,
  };
}

/** Learning rate of an optimiser step, counted from 0: linear rise, then constant, a line or half a cosine. */
export function rateAt({ peak, warmUpSteps, decay, finalFraction }: ScheduleSettings, at: number, of: number): number {
  if (at < warmUpSteps) return (peak / warmUpSteps) * (at + 1);
  if (decay === "constant") return peak;
  const done = Math.min((at - warmUpSteps) / Math.max(of - warmUpSteps, 1), 1);
  const height = decay === "linear" ? 1 - done : (1 + Math.cos(done * Math.PI)) / 2;
  return peak * (1 - (1 - finalFraction) * (1 - height));
}
