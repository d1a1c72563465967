import type { AgentId } from "@laconic/core";

/** What questions of a benchmark ask for: papers differ by it. `text` is a free answer, as in one's own data. */
export type Family = "maths" | "choice" | "code" | "text";

/** How sure a setting is: read in the authors' code, read in notes about the paper, common knowledge, or arithmetic on other figures. */
export type SourceLabel = "C" | "S" | "K" | "A";

/** A role of a method. */
export interface Role {
  /** Its agent in ledgers and transcripts; of several alike, the beginning of their names. */
  readonly slot: string;
  /** Who it is told to be. Absent: nobody in particular. */
  readonly title?: string;
  /** What it is asked to do, where it does not answer the question. */
  readonly duty?: string;
  /** False where its reply is no answer, such as a plan: it is not told how one is written, and does not vote. */
  readonly answers?: boolean;
  /** It is told the others' answers alone, as a hint. Absent: their replies. */
  readonly hears?: "answers";
  /** The program that it writes is run, and what that prints goes with its reply. */
  readonly runs?: boolean;
}

/** One kind of call of a method. */
export interface Phase {
  /** Where it is not the protocol's. */
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** Its prompts begin with the worked examples. */
  readonly shots?: boolean;
}

/** Worked examples of a protocol. */
export interface Shots {
  readonly count: number;
  /** Answers alone, worked solutions, or worked solutions of questions that carry hints. */
  readonly form: "answers" | "chains" | "hints";
  /**
   * The first of a seeded shuffle of the training split, those of all of it whose solutions have most steps, or the first of its file
   * that are on the question's own topic.
   */
  readonly select: "seeded" | "most-steps" | "same-topic";
  /** Of `hints`: for each example in turn, the hints that its question carries: its own answer, or another's. */
  readonly hints?: readonly (readonly ("right" | "wrong")[])[];
}

/** When a method asks no more. */
export type StopRule =
  /** Every call is made. */
  | { readonly kind: "fixed" }
  | { readonly kind: "equal-answers"; readonly last: number }
  /** A critic says so. */
  | { readonly kind: "verdict"; readonly says: string }
  /** More agents of a round than a share of all give one answer. */
  | { readonly kind: "consensus"; readonly above: number }
  | { readonly kind: "moderator" };

/** What of the replies is the answer. */
export type VoteRule =
  | { readonly kind: "last" }
  /** The option that the model thinks likeliest: none is written. */
  | { readonly kind: "likeliest" }
  /** Most votes; of as many the first seen. `kept`: of the replies with most steps alone. */
  | { readonly kind: "plurality"; readonly kept?: number }
  /** What this slot says in a call of its own. */
  | { readonly kind: "decision"; readonly slot: string };

/** Settings that a source label can stand at. */
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

/**
 * How a method is played on questions of some kind, as data: what its paper or its authors' code sets. Methods read their
 * settings from here and have none of their own. Plain JSON values.
 */
export interface Protocol<PhaseName extends string = string> {
  /** Unique, such as `php/choice`. */
  readonly id: string;
  /** Rises with every change of a setting: records name both. */
  readonly version: number;
  readonly families: readonly Family[];
  /** Only these benchmarks of its families. Absent: all that no other protocol of the method names. */
  readonly benchmarks?: readonly string[];
  /** Paper, and code at its commit. */
  readonly source: string;
  /** The row of the papers' tables that is played like this; null where none is. */
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
  /** What of it can be dealt among its agents. */
  readonly partition: Partition;
  readonly stops: StopRule;
  readonly votes: VoteRule;
  /** It runs programs that models write: `BaselineOptions.runProgram` is needed. */
  readonly runsPrograms?: boolean;
  /** Of a question, at these settings. */
  readonly calls: { readonly least: number; readonly most: number };
  readonly labels: Readonly<Partial<Record<Setting, SourceLabel>>>;
  /** By benchmark, the published texts that its requests are written with where they are here. */
  readonly scripts?: Readonly<Record<string, string>>;
  /** It is of this project: there is nothing that it could differ from. */
  readonly own?: true;
  /** What else is not as published, a sentence each: {@link departures} adds whose words its requests are. */
  readonly differs: readonly string[];
}

/** Whether what a question states can be dealt among a method's agents, so that nobody sees another's part. */
export type Partition =
  /** Agents of these slots are dealt it, and whoever answers hears them; all others see what is asked alone. */
  | { readonly kind: "among"; readonly slots: readonly string[] }
  /** It is played on whole questions alone, for this reason. */
  | { readonly kind: "whole"; readonly reason: string };

/**
 * Agents of a team among whom its protocol deals what a question states.
 * @param agents - all of the team's
 * @returns nobody for a protocol that is played on whole questions alone
 */
export function holdersOf({ partition }: { readonly partition: Partition }, agents: readonly AgentId[]): AgentId[] {
  return partition.kind === "among" ? agents.filter((agent) => partition.slots.includes(slotOf(agent))) : [];
}

/** An agent's slot: its name without the number that tells it from others alike, `debater` of `debater-2`. */
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

/** The kind of questions, as protocols know it, whose answers are of a kind of `@laconic/benchmarks`. */
export function familyOf(kind: AnswerKindName): Family {
  return families[kind];
}
