import type { Numbers } from "./rules/numbers.ts";
import type { Estimated } from "./rules/estimators.ts";
import type { Findings, Place } from "./findings.ts";
import type { Sequence } from "./weights/llama.ts";
import type { LossFacts } from "./rules/losses.ts";
import type { Rival } from "./rules/opponents.ts";
import type { PriceFacts, PriceState } from "./rules/prices.ts";
import type { Problem, Utterance } from "@laconic/core";
import type { StoredRollout, StoredEpisode } from "@laconic/core/run-folder";
import type { AuditedPolicy, AuditedStep } from "./folder/record.ts";
import type { Earned } from "./rules/rewards.ts";

/** A rollout with what it earned by this audit. */
export interface Judged {
  readonly row: StoredRollout;
  readonly episode: StoredEpisode<Utterance>;
  readonly problem: Problem | null;
  readonly place: Place;
  readonly own: Earned;
  readonly credit: ReadonlyMap<number, number> | null;
  readonly agentRewards: ReadonlyMap<string, number>;
  /** By turn. */
  readonly turnRewards: ReadonlyMap<number, number>;
  readonly greedyReward: number;
}

/** A sequence that a policy was trained on. */
export interface Trained {
  readonly rollout: number;
  readonly utterance: Utterance;
  readonly problem: number;
  readonly place: Place;
}

/** What a policy did in a step, by this audit. */
export interface PolicyFacts {
  readonly name: string;
  readonly row: AuditedPolicy;
  readonly judged: readonly Judged[];
  readonly prices: Numbers;
  readonly hasOwnBudget: boolean;
  readonly trained: readonly Trained[];
  /** Utterances of its agents without a token. */
  readonly empty: number;
  readonly estimated: Pick<Estimated, "metrics"> & { readonly values: readonly number[] | null };
  /** By optimiser step: its loss, d loss / d log π of each of its rows; null for an objective that is not known here. */
  readonly updates: readonly {
    readonly loss: number | null;
    readonly dLogProbs: readonly (readonly number[])[] | null;
    readonly learningRate: number;
    /** Supervised examples whose gradient was added; none in most runs. */
    readonly examples: ExampleFacts;
  }[];
  readonly losses: readonly LossFacts[];
  /** log π_old and the sampler's, sequence by sequence. */
  readonly old: readonly (readonly number[])[];
  readonly sampled: readonly (readonly number[])[];
}

/** Supervised examples of an optimiser step: -weight / tokens is d loss / d log π of each of their tokens. */
export interface ExampleFacts {
  readonly sequences: readonly Sequence[];
  readonly dLogProbs: readonly (readonly number[])[];
  /** As the run recorded them, sequence by sequence. */
  readonly logProbs: readonly (readonly number[])[];
}

/** What budgets said in a step. */
export interface BudgetFacts {
  readonly settings: { readonly targetTokens: number };
  readonly facts: PriceFacts;
  readonly next: PriceState;
}

/** A step, by this audit. */
export interface StepFacts {
  readonly step: AuditedStep;
  readonly judged: readonly Judged[];
  readonly prices: Numbers;
  readonly budgets: Readonly<Record<string, BudgetFacts>>;
  readonly policies: readonly PolicyFacts[];
  /** The pool after the step; null without opponents. */
  readonly rivals: readonly Rival[] | null;
  readonly findings: Findings;
}
