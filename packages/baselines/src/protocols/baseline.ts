import type { AgentId, LanguageModel, Problem, Topology } from "@laconic/core";
import type { TokenPrice } from "@laconic/core/ledger";
import type { Family, Protocol } from "./protocol.ts";
import type { Script } from "./script.ts";

/** Reads answers of one benchmark, for votes and stop rules. It never sees a gold answer. */
export interface AnswerReader {
  /** The answer that a reply gives; null when it gives none. */
  read(reply: string): string | null;
  same(a: string, b: string): boolean;
}

/** A worked example for few-shot prompts, from a training split. */
export interface Exemplar {
  readonly question: string;
  /** Empty where the data has the answer alone. */
  readonly solution: string;
  readonly answer: string;
  /** The answer as `BaselineOptions.answerForm` demands it: the end of the reply. */
  readonly answerLine: string;
  readonly topic?: string;
}

/** Runs a Python program that a model wrote, in a sandbox. */
export type RunProgram = (program: string) => Promise<{ readonly output: string; readonly error: string | null }>;

/** What a method is built for. */
export interface BaselineOptions {
  readonly reader: AnswerReader;
  /** Format of answers that the benchmark's grader reads: the end of every instruction. */
  readonly answerForm: string;
  readonly maxTokens: number;
  /** Default `text`. */
  readonly family?: Family;
  readonly benchmark?: string;
  /** Of every call, instead of the protocol's. */
  readonly temperature?: number;
  /** Training split in seeded order, from which the method chooses. Empty: zero-shot. */
  readonly exemplars?: readonly Exemplar[];
  readonly shots?: number;
  /** Published texts of requests, with their examples. Absent: our words. */
  readonly script?: Script;
  /** Required by protocols that run programs. */
  readonly runProgram?: RunProgram;
  /** The question and its options without letters, for methods that score options. */
  readonly asked?: { readonly question: string; readonly choices: readonly string[] };
  /** Samples of votes, agents and rounds, instead of the protocol's. */
  readonly samples?: number;
  readonly agents?: number;
  readonly rounds?: number;
  /** Tokens per question of a method of equal tokens ({@link Baseline.equalTokens}). */
  readonly tokens?: number;
}

/** Questions that a method learns on before it is scored; never those of the test. */
export interface Calibration {
  readonly questions: number;
  /** Plays and grades a team on one of them: 0 to 1. Its tokens are counted separately. */
  utility(question: number, team: Topology): Promise<number>;
  readonly seed: string | number;
}

/** Options that decide the number of calls. */
export type MethodSize = Pick<BaselineOptions, "samples" | "agents" | "rounds" | "family" | "benchmark">;

/** Agents and rounds of a team. */
export function sizeOf(protocol: Protocol, size: MethodSize): { readonly agents: number; readonly rounds: number } {
  return { agents: size.agents ?? protocol.agents ?? 1, rounds: size.rounds ?? protocol.rounds ?? 1 };
}

/** How often texts occur in all prompts of a question together, at most. */
export interface PromptCopies {
  readonly questions: number;
  /** All worked examples of a prompt count once. */
  readonly examples: number;
  /** Whole, or quoted line by line. */
  readonly replies: number;
  /** Bytes of tool output, such as test results. Default 0. */
  readonly toolBytes?: number;
}

/** A published method, as a topology whose agents are all the same model. */
export interface Baseline {
  readonly name: string;
  readonly title: string;
  readonly source: string;
  readonly calls: string;
  /** Where no protocol sets one. */
  readonly temperature: number;
  /** By kind of question: see `protocolFor`. Absent for a team that is not published. */
  readonly protocols?: readonly Protocol[];
  /** Identity in records, such as a checkpoint. Default: the name. */
  readonly identity?: string;
  /** Models of single agents; all others use the caller's. */
  readonly models?: Readonly<Record<AgentId, LanguageModel>>;
  /** Prices of those models, where they cost something; null for an unknown price. */
  readonly prices?: Readonly<Record<AgentId, TokenPrice | null>>;
  create(options: BaselineOptions): Topology;
  /** Gives each agent its part of a problem; null for one that cannot be dealt. Absent: all agents see the whole. */
  readonly deal?: <P extends Problem>(problem: P) => P | null;
  /** Seed and agents of `deal`, for records. */
  readonly dealt?: { readonly seed: string; readonly holders: readonly AgentId[] };
  /** Learns before the method is scored. @returns plain data for `restore` */
  calibrate?(options: BaselineOptions, calibration: Calibration): Promise<unknown>;
  /** The team that learned this. @throws LaconicError `data_invalid` */
  restore?(options: BaselineOptions, learned: unknown): Topology;
  /** Plays of each question in `calibrate`. Default 1. */
  readonly calibrationPlays?: number;
  /** Most calls of a question: for plans. */
  maxCalls(size: MethodSize): number;
  /** Most that its prompts can hold. Default: each has the question, the examples and all replies before it. */
  maxCopies?(size: MethodSize): PromptCopies;
  /** It spends `BaselineOptions.tokens` a question, prompt and completion together: the tokens of the team that it is compared with. */
  readonly equalTokens?: boolean;
  /** Most tokens of a reply, where not `BaselineOptions.maxTokens`. */
  readonly replyTokens?: number;
}
