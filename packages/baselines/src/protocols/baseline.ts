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
  /** Worked; empty where the data has the answer alone. */
  readonly solution: string;
  readonly answer: string;
  /** The answer as `BaselineOptions.answerForm` demands it: the end of the reply that the example shows. */
  readonly answerLine: string;
  /** What its question is about, where the data says so. */
  readonly topic?: string;
}

/** Runs a Python program that a model wrote, away from everything: what it printed, and what went wrong, null when nothing did. */
export type RunProgram = (program: string) => Promise<{ readonly output: string; readonly error: string | null }>;

/** What a method is built for. */
export interface BaselineOptions {
  readonly reader: AnswerReader;
  /** How an answer is to be written, as the benchmark's grader reads it: the end of every instruction. */
  readonly answerForm: string;
  readonly maxTokens: number;
  /** What the questions ask for, and the benchmark they are of: protocols differ by them. Default `text`. */
  readonly family?: Family;
  readonly benchmark?: string;
  /** Of every call, instead of the protocol's; the episode's sampling has it too. */
  readonly temperature?: number;
  /** Of a training split, in seeded order: the method chooses from them as its protocol says. An empty list makes it zero-shot. */
  readonly exemplars?: readonly Exemplar[];
  readonly shots?: number;
  /** Published texts: requests are written with them, and with no examples but theirs. Absent: our words. */
  readonly script?: Script;
  /** For protocols that run programs: without it they are refused. */
  readonly runProgram?: RunProgram;
  /** The question and its options, without letters, where it has any: for methods that score options. */
  readonly asked?: { readonly question: string; readonly choices: readonly string[] };
  /** Of votes: samples, agents, rounds. Each method says which it takes, and its default. */
  readonly samples?: number;
  readonly agents?: number;
  readonly rounds?: number;
  /** For methods of equal tokens ({@link Baseline.equalTokens}): those that a question may take. */
  readonly tokens?: number;
}

/** Questions that a method may learn on before it is scored; never those of the test. */
export interface Calibration {
  readonly questions: number;
  /** What a team is worth on one of them, 0 to 1: its episode is run, graded, and counted apart. */
  utility(question: number, team: Topology): Promise<number>;
  readonly seed: string | number;
}

/** What a method is sized by: the questions, and votes, agents and rounds where they are not the protocol's. */
export type MethodSize = Pick<BaselineOptions, "samples" | "agents" | "rounds" | "family" | "benchmark">;

/** Agents and rounds of a team. */
export function sizeOf(protocol: Protocol, size: MethodSize): { readonly agents: number; readonly rounds: number } {
  return { agents: size.agents ?? protocol.agents ?? 1, rounds: size.rounds ?? protocol.rounds ?? 1 };
}

/** How often texts stand in all prompts of a question together, at most. */
export interface PromptCopies {
  readonly questions: number;
  /** All worked examples together count once. */
  readonly examples: number;
  /** Of replies, whole or quoted line by line. */
  readonly replies: number;
  /** Bytes of what tools say, such as the results of tests. Default 0. */
  readonly toolBytes?: number;
}

/** A published method, as a topology whose agents are all the same model. */
export interface Baseline {
  readonly name: string;
  readonly title: string;
  /** Where the protocol comes from. */
  readonly source: string;
  readonly calls: string;
  /** Of its paper where no protocol says; the caller may choose another. */
  readonly temperature: number;
  /** How it is played, by kind of question: see `protocolFor`. Absent for a team that is not published. */
  readonly protocols?: readonly Protocol[];
  /** What distinguishes it from others of its name in records, such as a checkpoint. Default: the name. */
  readonly identity?: string;
  /** Models that its agents bring; all others speak with the caller's. */
  readonly models?: Readonly<Record<AgentId, LanguageModel>>;
  /** US dollars per million tokens of those models that cost the caller something; null where that is not known. */
  readonly prices?: Readonly<Record<AgentId, TokenPrice | null>>;
  create(options: BaselineOptions): Topology;
  /** Gives each agent its part of a problem; null for one that cannot be dealt. Absent: everybody sees the whole. */
  readonly deal?: <P extends Problem>(problem: P) => P | null;
  /** Among whom `deal` deals, and by which seed: for records. */
  readonly dealt?: { readonly seed: string; readonly holders: readonly AgentId[] };
  /**
   * For a method that learns before it is scored: what it learned, as plain data.
   */
  calibrate?(options: BaselineOptions, calibration: Calibration): Promise<unknown>;
  /** The team that learned this. @throws LaconicError `data_invalid` for data that is nothing of the kind */
  restore?(options: BaselineOptions, learned: unknown): Topology;
  /** Times that `calibrate` plays each of its questions. Default 1. */
  readonly calibrationPlays?: number;
  /** Most calls that a question can take at these options: what a plan counts with. */
  maxCalls(size: MethodSize): number;
  /**
   * Most that its prompts can hold: with the calls, the length of all prompts. Default: each has the question, the examples and all
   * replies before it.
   */
  maxCopies?(size: MethodSize): PromptCopies;
  /**
   * It spends `BaselineOptions.tokens` a question, prompt and completion together: what a team took that it stands beside. It asks no
   * more once they are spent.
   */
  readonly equalTokens?: boolean;
  /** Most tokens of one of its replies, where it does not go by `BaselineOptions.maxTokens`. */
  readonly replyTokens?: number;
}
