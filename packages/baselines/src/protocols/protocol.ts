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
  /** Most tokens of a reply. Absent: the caller's alone. */
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
  /** The last answers are equal. */
  | { readonly kind: "equal-answers"; readonly last: number }
  /** A critic says so. */
  | { readonly kind: "verdict"; readonly says: string }
  /** More agents of a round than a share of all give one answer. */
  | { readonly kind: "consensus"; readonly above: number }
  /** A moderator names an answer. */
  | { readonly kind: "moderator" };

/** What of the replies is the answer. */
export type VoteRule =
  /** The last reply that answers. */
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

/** For methods in which one agent answers whatever it is asked. */
export const oneAgent: Partition = {
  kind: "whole",
  reason: "One agent answers, and hears nobody: it would see one share.",
};

/** For teams that write programs. */
export const onePiece: Partition = { kind: "whole", reason: "The description of a program is one piece." };

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

/** Labels of settings that are all as sure. */
export function labelled(label: SourceLabel, ...settings: readonly Setting[]): Protocol["labels"] {
  return Object.fromEntries(settings.map((setting) => [setting, label]));
}

/** The word problems that papers show GSM8K's examples for. */
const wordProblems = ["gsm8k", "multiarith", "svamp"] as const;
/** Contest problems: those of MATH, and those that papers ask with its examples. */
const contests = ["math500", "aime24", "amc23", "minerva", "olympiadbench"] as const;

/** One script for all word problems. */
export function onWords(script: string): Readonly<Record<string, string>> {
  return Object.fromEntries(wordProblems.map((benchmark) => [benchmark, script]));
}

/** One script for contest problems. */
export function onContests(script: string): Readonly<Record<string, string>> {
  return Object.fromEntries(contests.map((benchmark) => [benchmark, script]));
}

/** One script for word problems, one for contests. */
export function onMaths(words: string, contest: string): Readonly<Record<string, string>> {
  return { ...onWords(words), ...onContests(contest) };
}

/** One script for MMLU, and for the part of it that teams are scored on. */
export function onMmlu(script: string): Readonly<Record<string, string>> {
  return { mmlu: script, "mmlu-153": script };
}

/** One script for functions to complete: HumanEval, and the part of it that AgentPrune scores. */
export function onFunctions(script: string): Readonly<Record<string, string>> {
  return { humaneval: script, "humaneval-161": script };
}

/** No worked examples. */
export const noShots: Shots = { count: 0, form: "chains", select: "seeded" };

/** The answer line of methods that leave it to the benchmark. */
export const benchmarkLine = "The benchmark's, as its grader reads it.";

/** Every kind of question. */
export const allFamilies: readonly Family[] = ["maths", "choice", "code", "text"];

/** One agent that is asked once: what protocols of single agents begin with. */
export const oneSolver: Pick<
  Protocol,
  "version" | "roles" | "temperature" | "answerLine" | "hears" | "partition" | "stops" | "votes" | "calls"
> = {
  version: 1,
  roles: [{ slot: "solver" }],
  temperature: 0,
  answerLine: benchmarkLine,
  hears: "Nobody.",
  partition: oneAgent,
  stops: { kind: "fixed" },
  votes: { kind: "last" },
  calls: { least: 1, most: 1 },
};

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
