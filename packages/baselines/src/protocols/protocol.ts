import type { AgentId } from "@laconic/core";

/** Question kind; `text` has a free answer. */
export type Family = "maths" | "choice" | "code" | "text";

/** Authors' code, notes about the paper, common knowledge, arithmetic. */
type SourceLabel = "C" | "S" | "K" | "A";

/** A role of a method. */
export interface Role {
  /** Agent name, or prefix of several. */
  readonly slot: string;
  readonly title?: string;
  /** Task other than answering. */
  readonly duty?: string;
  /** False for plans and the like, which do not vote. */
  readonly answers?: boolean;
  /** Gets only answers, as a hint. Default: replies. */
  readonly hears?: "answers";
  /** Runs its program; the output follows its reply. */
  readonly runs?: boolean;
}

/** A kind of call of a method. */
export interface Phase {
  /** Default: the protocol's. */
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** Prompts start with the examples. */
  readonly shots?: boolean;
}

/** Worked examples of a protocol. */
export interface Shots {
  readonly count: number;
  readonly form: "answers" | "chains" | "hints";
  /** Shuffled, most steps, or first in the file on the topic. */
  readonly select: "seeded" | "most-steps" | "same-topic";
  /** Own or other answers as hints, per example. */
  readonly hints?: readonly (readonly ("right" | "wrong")[])[];
}

export type StopRule =
  | { readonly kind: "fixed" }
  | { readonly kind: "equal-answers"; readonly last: number }
  | { readonly kind: "verdict"; readonly says: string }
  /** Share of a round's agents that must be exceeded. */
  | { readonly kind: "consensus"; readonly above: number }
  | { readonly kind: "moderator" };

export type VoteRule =
  | { readonly kind: "last" }
  /** Highest log-probability, without replies. */
  | { readonly kind: "likeliest" }
  /** Ties take the first seen. `kept`: number of replies with most steps. */
  | { readonly kind: "plurality"; readonly kept?: number }
  /** A separate call of this slot. */
  | { readonly kind: "decision"; readonly slot: string };

/** Settings with a source label. */
export type Setting =
  | "roles"
  | "temperature"
  | "maxTokens"
  | "shots"
  | "samples"
  | "agents"
  | "rounds"
  | "prompts"
  | "answerLine"
  | "hears"
  | "stops"
  | "votes"
  | "calls";

/** A method on some kind of questions, from its paper or code, as JSON. */
export interface Protocol<PhaseName extends string = string> {
  /** Unique, such as `php/choice`. */
  readonly id: string;
  /** Incremented with every change. */
  readonly version: number;
  readonly families: readonly Family[];
  /** Default: all of its families not named by others. */
  readonly benchmarks?: readonly string[];
  /** Paper, and code with its commit. */
  readonly source: string;
  /** Row of the papers' tables. */
  readonly published: string | null;
  readonly roles: readonly Role[];
  /** Default of phases; 1 if the source sends none. */
  readonly temperature: number;
  readonly phases: Readonly<Record<PhaseName, Phase>>;
  readonly shots: Shots;
  /** Replies per prompt. */
  readonly samples?: number;
  readonly agents?: number;
  readonly rounds?: number;
  /** Rules, one sentence each. */
  readonly prompts: readonly string[];
  readonly answerLine: string;
  /** Messages that agents read. */
  readonly hears: string;
  readonly partition: Partition;
  readonly stops: StopRule;
  readonly votes: VoteRule;
  readonly runsPrograms?: boolean;
  /** Per question. */
  readonly calls: { readonly least: number; readonly most: number };
  readonly labels: Readonly<Partial<Record<Setting, SourceLabel>>>;
  /** Published prompts by benchmark. */
  readonly scripts?: Readonly<Record<string, string>>;
  /** This project's method, without a paper. */
  readonly own?: true;
  /** Other differences, one sentence each. */
  readonly differs: readonly string[];
}

/** Whether a question can be split so that no agent sees another's part. */
type Partition =
  /** These agents get shares; the answering agent reads their replies. */
  { readonly kind: "among"; readonly slots: readonly string[] } | { readonly kind: "whole"; readonly reason: string };

/** Agents that share a dealt question. @param agents - of the whole team */
export function holdersOf({ partition }: { readonly partition: Partition }, agents: readonly AgentId[]): AgentId[] {
  return partition.kind === "among" ? agents.filter((agent) => partition.slots.includes(slotOf(agent))) : [];
}

/** Agent name without its number. */
export function slotOf(agent: AgentId): string {
  return agent.replace(/-\d+$/u, "");
}

type AnswerKindName = "numeric" | "maths" | "letter" | "code" | "program" | "text" | "writing";

const families: Readonly<Record<AnswerKindName, Family>> = {
  numeric: "maths",
  maths: "maths",
  letter: "choice",
  code: "code",
  program: "code",
  text: "text",
  writing: "text",
};

/** Family of an answer kind of `@laconic/benchmarks`. */
export function familyOf(kind: AnswerKindName): Family {
  return families[kind];
}
