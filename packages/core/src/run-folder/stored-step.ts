import type { Episode, Utterance } from "../episode/episode.ts";
import type { AgentId, Problem } from "../problem.ts";
import type { PackedNumbers } from "./packed-numbers.ts";

/** Version of members in `episodes.jsonl.gz`; breaking changes raise it. */
export const recordVersion = 2;

type Numbers = Readonly<Record<string, number>>;

/** Numbers by name; null for NaN and infinity. */
export type StoredTerms = Readonly<Record<string, number | null>>;

/** Log-probs are stored together for the whole record. */
export interface StoredUtterance extends Omit<Utterance, "prompt" | "trace"> {
  readonly prompt?: string;
  /** Present for a local policy. */
  readonly promptTokens?: readonly number[];
  readonly tokens?: readonly number[];
}

export interface StoredScore {
  readonly status: string;
  readonly value?: number;
  readonly reward?: {
    readonly team: Numbers;
    readonly agents?: Readonly<Record<AgentId, Numbers>>;
    readonly turns?: Readonly<Record<number, Numbers>>;
    readonly measures?: Numbers;
  };
}

/** Utterances are indices in the record, because episodes of a tree share them. */
export interface StoredEpisode<U = number> extends Omit<Episode, "utterances"> {
  readonly utterances: readonly U[];
  readonly score?: StoredScore | null;
}

/** Other episodes are indices in the record. */
export interface StoredRollout {
  readonly group: number;
  readonly episode: number;
  readonly costs: StoredTerms;
  readonly terms: StoredTerms;
  readonly reward: number | null;
  readonly agentRewards?: Numbers;
  readonly credit?: readonly (readonly [turn: number, value: number | null])[];
  /** Replays for the credit. */
  readonly replays?: readonly (readonly [change: object, episode: number])[];
  readonly greedy?: number;
  readonly greedyReward?: number | null;
}

/** Node of a rollout tree. */
export interface StoredNode {
  readonly actions: readonly {
    readonly replies: readonly number[];
    readonly episode: number;
    readonly round: number;
    readonly next: StoredNode | null;
  }[];
}

/** Replies by `path|agent|reply`. */
export interface StoredTree {
  readonly group: number;
  readonly agents: readonly AgentId[];
  readonly node: StoredNode;
  readonly replies: readonly (readonly [place: string, utterance: number])[];
}

/** Optimizer step. */
export interface StoredUpdate {
  readonly rows: readonly number[];
  readonly optimizerStep: number;
  readonly logProbs: PackedNumbers;
  readonly entropy: { readonly sum: number; readonly count: number };
  readonly loss: number | null;
  readonly gradNorm: number | null;
  readonly learningRate: number;
  readonly applied: boolean;
  /** Prompt, completion, and log π of the completion. */
  readonly examples?: {
    readonly sequences: readonly (readonly [prompt: readonly number[], completion: readonly number[]])[];
    readonly logProbs: PackedNumbers;
  };
}

/** Rollout and turn of each sequence, with advantages per sequence or token. */
export interface StoredPolicy {
  readonly agents: readonly AgentId[];
  readonly prices: Numbers;
  /** Set for a policy with separate prices. */
  readonly rewards?: readonly (number | null)[];
  readonly sequences: readonly (readonly [rollout: number, turn: number])[];
  readonly advantages: PackedNumbers;
  /** Null if equal to the sampler's. */
  readonly oldLogProbs: PackedNumbers | null;
  readonly refLogProbs?: PackedNumbers;
  /** Keyed by `NAME@old`, `NAME@now` or `NAME@first`. */
  readonly policyLogProbs?: Readonly<Record<string, PackedNumbers>>;
  readonly updates: readonly StoredUpdate[];
}

/** Distinct episodes and utterances of a record. */
export interface StoredEpisodes {
  readonly episodes: readonly StoredEpisode[];
  readonly utterances: readonly StoredUtterance[];
  /** Log-probs of utterances with tokens, in order. */
  readonly sampledLogProbs: PackedNumbers;
}

/** Inputs and results of a training step. */
export interface StoredStep extends StoredEpisodes {
  readonly step: number;
  /** Set if a schedule changes it. */
  readonly temperature?: number;
  readonly scoring: Numbers;
  /** Steps: for all groups, or per group. */
  readonly lag: number | readonly number[];
  readonly prices: Numbers;
  readonly problems: readonly (Problem | null)[];
  readonly rollouts: readonly StoredRollout[];
  readonly trees?: readonly StoredTree[];
  readonly policies: Readonly<Record<string, StoredPolicy>>;
}

/** Episodes of a validation. */
export interface StoredEvaluation extends StoredEpisodes {
  readonly step: number;
  readonly played: readonly { readonly problem: Problem; readonly episode: number; readonly task: number | null }[];
}

/** A damaged file may lack everything but episodes. */
export type StoredContent = StoredEpisodes &
  Partial<Omit<StoredStep, keyof StoredEpisodes>> &
  Partial<Pick<StoredEvaluation, "played">>;
