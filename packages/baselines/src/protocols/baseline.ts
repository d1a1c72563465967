import type { AgentId, LanguageModel, Problem, Topology } from "@laconic/core";
import type { TokenPrice } from "@laconic/core/ledger";
import type { Family, Protocol } from "./protocol.ts";
import type { Script } from "./script.ts";

/** Reads answers for votes and stop rules. It never sees gold answers. */
export interface AnswerReader {
  /** Null without an answer. */
  read(reply: string): string | null;
  same(a: string, b: string): boolean;
}

/** Few-shot example from a training split. */
export interface Exemplar {
  readonly question: string;
  /** Empty if unknown. */
  readonly solution: string;
  readonly answer: string;
  /** The answer in `BaselineOptions.answerForm`. */
  readonly answerLine: string;
  readonly topic?: string;
}

/** Runs Python in a sandbox. */
export type RunProgram = (program: string) => Promise<{ readonly output: string; readonly error: string | null }>;

/** Settings of a method's team. */
export interface BaselineOptions {
  readonly reader: AnswerReader;
  /** Answer format of the grader; ends every instruction. */
  readonly answerForm: string;
  readonly maxTokens: number;
  /** Default `text`. */
  readonly family?: Family;
  readonly benchmark?: string;
  /** Default: the protocol's. */
  readonly temperature?: number;
  /** Training split in seeded order. Empty for zero-shot. */
  readonly exemplars?: readonly Exemplar[];
  readonly shots?: number;
  /** Default: our prompts. */
  readonly script?: Script;
  /** Required by protocols that run programs. */
  readonly runProgram?: RunProgram;
  /** Question and options without letters, for scoring. */
  readonly asked?: { readonly question: string; readonly choices: readonly string[] };
  /** Number of vote samples. These three override the protocol's values. */
  readonly samples?: number;
  readonly agents?: number;
  readonly rounds?: number;
  /** Per question, for {@link Baseline.equalTokens}. */
  readonly tokens?: number;
}

/** Calibration questions; never test questions. */
export interface Calibration {
  readonly questions: number;
  /** Plays and grades a team: 0 to 1. Tokens are counted separately. */
  utility(question: number, team: Topology): Promise<number>;
  readonly seed: string | number;
}

export type MethodSize = Pick<BaselineOptions, "samples" | "agents" | "rounds" | "family" | "benchmark">;

export function sizeOf(protocol: Protocol, size: MethodSize): { readonly agents: number; readonly rounds: number } {
  return { agents: size.agents ?? protocol.agents ?? 1, rounds: size.rounds ?? protocol.rounds ?? 1 };
}

/** Max occurrences in all prompts of a question. */
export interface PromptCopies {
  readonly questions: number;
  /** Examples of a prompt count once. */
  readonly examples: number;
  /** Whole replies, or quoted line by line. */
  readonly replies: number;
  /** Bytes of tool output, such as test results. Default 0. */
  readonly toolBytes?: number;
}

/** A published method; all agents use one model. */
export interface Baseline {
  readonly name: string;
  readonly title: string;
  /** Used if no protocol sets one. */
  readonly temperature: number;
  /** Protocols by question kind; undefined if unpublished. */
  readonly protocols?: readonly Protocol[];
  /** Identity in records. Default: the name. */
  readonly identity?: string;
  /** Models of single agents; others use the caller's. */
  readonly models?: Readonly<Record<AgentId, LanguageModel>>;
  /** Null for an unknown price. */
  readonly prices?: Readonly<Record<AgentId, TokenPrice | null>>;
  create(options: BaselineOptions): Topology;
  /** Splits a problem among agents; null if impossible. Default: all see the whole problem. */
  readonly deal?: <P extends Problem>(problem: P) => P | null;
  /** Seed and agents of `deal`, for records. */
  readonly dealt?: { readonly seed: string; readonly holders: readonly AgentId[] };
  /** @returns plain data for `restore` */
  calibrate?(options: BaselineOptions, calibration: Calibration): Promise<unknown>;
  /** @throws LaconicError `data_invalid` */
  restore?(options: BaselineOptions, learned: unknown): Topology;
  /** Plays per question in `calibrate`. Default 1. */
  readonly calibrationPlays?: number;
  /** Per question, for plans. */
  maxCalls(size: MethodSize): number;
  /** Default: question, examples and all earlier replies. */
  maxCopies?(size: MethodSize): PromptCopies;
  /** Spends `BaselineOptions.tokens` per question, those of the compared team. */
  readonly equalTokens?: boolean;
  /** Max tokens of a reply. Default `BaselineOptions.maxTokens`. */
  readonly replyTokens?: number;
}
