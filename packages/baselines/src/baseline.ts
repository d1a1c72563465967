import type { AgentId, LanguageModel, Problem, Topology } from "@laconic/core";

/** Reads answers of one benchmark, for votes and stop rules. It never sees a gold answer. */
export interface AnswerReader {
  /** The answer that a reply gives; null when it gives none. */
  read(reply: string): string | null;
  /** Whether two answers are the same. */
  same(a: string, b: string): boolean;
}

/** A worked example for few-shot prompts, from a training split. */
export interface Exemplar {
  readonly question: string;
  readonly solution: string;
}

/** What a method is built for. */
export interface BaselineOptions {
  readonly reader: AnswerReader;
  /** How an answer is to be written, as the benchmark's grader reads it: the end of every instruction. */
  readonly answerForm: string;
  /** Most tokens of one reply. */
  readonly maxTokens: number;
  /** For few-shot methods; an empty list makes them zero-shot. */
  readonly exemplars?: readonly Exemplar[];
  /** Of votes: samples, agents, rounds. Each method says which it takes, and its default. */
  readonly samples?: number;
  readonly agents?: number;
  readonly rounds?: number;
  /** For `equal-budget`: tokens a question. */
  readonly tokens?: number;
}

/** Questions that a method may learn on before it is scored; never those of the test. */
export interface Calibration {
  readonly questions: number;
  /** What a team is worth on one of them, 0 to 1: its episode is run, graded, and counted apart. */
  utility(question: number, team: Topology): Promise<number>;
  readonly seed: string | number;
}

/** The votes, agents and rounds that a method is sized by. */
export type MethodSize = Pick<BaselineOptions, "samples" | "agents" | "rounds">;

/** How often texts stand in all prompts of a question together, at most. */
export interface PromptCopies {
  readonly questions: number;
  /** All worked examples together count once. */
  readonly examples: number;
  /** Of replies, whole or quoted line by line. */
  readonly replies: number;
}

/** A published method, as a topology whose agents are all the same model. */
export interface Baseline {
  readonly name: string;
  readonly title: string;
  /** Where the protocol comes from. */
  readonly source: string;
  /** Calls a question, in words. */
  readonly calls: string;
  /** Temperature of its paper; the caller may choose another. */
  readonly temperature: number;
  /** What distinguishes it from others of its name in records, such as a checkpoint. Default: the name. */
  readonly identity?: string;
  /** Models that its agents bring; all others speak with the caller's. */
  readonly models?: Readonly<Record<AgentId, LanguageModel>>;
  create(options: BaselineOptions): Topology;
  /** Gives each agent its part of a problem; null for one that cannot be dealt. Absent: everybody sees the whole. */
  readonly deal?: <P extends Problem>(problem: P) => P | null;
  /**
   * For a method that learns before it is scored: what it learned, as plain data.
   */
  calibrate?(options: BaselineOptions, calibration: Calibration): Promise<unknown>;
  /** The team that learned this. @throws LaconicError `data_invalid` for data that is nothing of the kind */
  restore?(options: BaselineOptions, learned: unknown): Topology;
  /** Times that `calibrate` plays each of its questions. Default 1. */
  readonly calibrationPlays?: number;
  /** Most calls that a question can take at these options: what a plan counts with. */
  mostCalls(size: MethodSize): number;
  /**
   * Most that its prompts can hold: with the calls, the length of all prompts. Default: each has the question, the examples and all
   * replies before it.
   */
  mostCopies?(size: MethodSize): PromptCopies;
  /** Tokens of a question, prompt and completion, after which it asks no more, whatever the calls. */
  readonly tokenBudget?: number;
  /** Most tokens of one of its replies, where it does not go by `BaselineOptions.maxTokens`. */
  readonly replyTokens?: number;
}
