import type { AgentId } from "@laconic/core";

/** Kind of answer that questions ask for. `text` is a free answer. */
export type Family = "maths" | "choice" | "code" | "text";

/** Source of a setting: the authors' code, notes about the paper, common knowledge, or arithmetic on other figures. */
type SourceLabel = "C" | "S" | "K" | "A";

/** A role of a method. */
export interface Role {
  /** Name of its agent; of several alike, the beginning of their names. */
  readonly slot: string;
  readonly title?: string;
  /** Its task, where it does not answer the question. */
  readonly duty?: string;
  /** False where its reply is no answer, such as a plan: it does not vote. */
  readonly answers?: boolean;
  /** It gets the others' answers alone, as a hint. Absent: their replies. */
  readonly hears?: "answers";
  /** The program that it writes is run, and the output goes with its reply. */
  readonly runs?: boolean;
}

/** One kind of call of a method. */
export interface Phase {
  /** Default: the protocol's. */
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** Its prompts begin with the worked examples. */
  readonly shots?: boolean;
}

/** Worked examples of a protocol. */
export interface Shots {
  readonly count: number;
  readonly form: "answers" | "chains" | "hints";
  /** The first of a seeded shuffle of the training split, those with most steps, or the first of its file on the question's topic. */
  readonly select: "seeded" | "most-steps" | "same-topic";
  /** Of `hints`: for each example in turn, the hints that its question carries: its own answer, or another's. */
  readonly hints?: readonly (readonly ("right" | "wrong")[])[];
}

/** When a method asks no more. */
export type StopRule =
  | { readonly kind: "fixed" }
  | { readonly kind: "equal-answers"; readonly last: number }
  | { readonly kind: "verdict"; readonly says: string }
  /** More agents of a round than a share of all give one answer. */
  | { readonly kind: "consensus"; readonly above: number }
  | { readonly kind: "moderator" };

/** Which reply is the answer. */
export type VoteRule =
  | { readonly kind: "last" }
  /** The option of the highest log-probability: none is written. */
  | { readonly kind: "likeliest" }
  /** Most votes; of as many the first seen. `kept`: of the replies with most steps alone. */
  | { readonly kind: "plurality"; readonly kept?: number }
  /** What this slot says in a call of its own. */
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

/** How a method is played on questions of some kind, by its paper or its authors' code: plain JSON values. */
export interface Protocol<PhaseName extends string = string> {
  /** Unique, such as `php/choice`. */
  readonly id: string;
  /** Rises with every change of a setting. */
  readonly version: number;
  readonly families: readonly Family[];
  /** Absent: all of its families that no other protocol of the method names. */
  readonly benchmarks?: readonly string[];
  /** Paper, and code at its commit. */
  readonly source: string;
  /** The row of the papers' tables that is played like this. */
  readonly published: string | null;
  readonly roles: readonly Role[];
  /** Of every phase that has no other; 1 where the source sends none, which is what servers then take. */
  readonly temperature: number;
  readonly phases: Readonly<Record<PhaseName, Phase>>;
  readonly shots: Shots;
  /** Replies that are sampled from one prompt. */
  readonly samples?: number;
  readonly agents?: number;
  readonly rounds?: number;
  /** Rules of its prompts, a sentence each. */
  readonly prompts: readonly string[];
  /** How the answer is written, in a sentence. */
  readonly answerLine: string;
  /** Whom an agent hears, in a sentence. */
  readonly hears: string;
  readonly partition: Partition;
  readonly stops: StopRule;
  readonly votes: VoteRule;
  /** It needs `BaselineOptions.runProgram`. */
  readonly runsPrograms?: boolean;
  /** Per question, at these settings. */
  readonly calls: { readonly least: number; readonly most: number };
  readonly labels: Readonly<Partial<Record<Setting, SourceLabel>>>;
  /** By benchmark, the name of the published texts that its requests are written with, where installed. */
  readonly scripts?: Readonly<Record<string, string>>;
  /** A method of this project, which differs from no paper. */
  readonly own?: true;
  /** Other differences from what is published, a sentence each. */
  readonly differs: readonly string[];
}

/** Whether a question can be dealt among a method's agents, so that no agent sees another's part. */
type Partition =
  /** Agents of these slots get shares, and the answering agent hears them; all others see what is asked alone. */
  { readonly kind: "among"; readonly slots: readonly string[] } | { readonly kind: "whole"; readonly reason: string };

/**
 * Agents of a team among whom its protocol deals a question; empty for a protocol of whole questions.
 * @param agents - all of the team's
 */
export function holdersOf({ partition }: { readonly partition: Partition }, agents: readonly AgentId[]): AgentId[] {
  return partition.kind === "among" ? agents.filter((agent) => partition.slots.includes(slotOf(agent))) : [];
}

/** An agent's slot: its name without the number, `debater` of `debater-2`. */
export function slotOf(agent: AgentId): string {
  return agent.replace(/-\d+$/u, "");
}

/** Kinds of answers, as `@laconic/benchmarks` names them. */
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

/** The family of questions whose answers are of a kind of `@laconic/benchmarks`. */
export function familyOf(kind: AnswerKindName): Family {
  return families[kind];
}
