import {
  relayCriticDefaults,
  relayCriticTask,
  relayHintDefaults,
  relayHintTask,
  type RelayCriticOptions,
  type RelayHintOptions,
} from "../relay/actor-tasks.ts";
import { relayFeedbackTask } from "../relay/feedback.ts";
import { relayLevels, type RelayLevelName } from "../relay/problem.ts";
import { relayTask } from "../relay/task.ts";
import { relayWritersTask, type WritersParts } from "../relay/writers.ts";
import * as z from "zod";
import { taskNamed, type NamedTask } from "./named-task.ts";

/** The relay at a level. */
export interface RelaySettings {
  readonly name: "relay";
  readonly level: RelayLevelName;
}

export const relay: NamedTask<RelaySettings> = {
  schema: z.strictObject({
    name: taskNamed("relay"),
    level: z.enum(Object.keys(relayLevels) as RelayLevelName[]).describe("How facts are split over the agents"),
  }),
  title: ({ level }) => `relay/${level}`,
  about: ({ level }) => {
    const { holders, factsPerHolder } = relayLevels[level];
    const facts = factsPerHolder === 1 ? "a private fact" : `${factsPerHolder} private facts`;
    return `${holders} holders know ${facts} each, such as k6 (k is 6), and write to the solver unheard by each other, or stay silent. The solver sees the question, such as k+e, and what was written: its answer is right if it is the sum.`;
  },
  world: ({ level }) => `relay/${level}`,
  open: ({ level }, { testProblems }) => relayTask({ level, testProblems }),
};

/** A policy writes hints for an actor that does not learn. */
export interface RelayHintSettings extends Omit<RelayHintOptions, "testProblems"> {
  readonly name: "relay-hint";
}

export const relayHint: NamedTask<RelayHintSettings> = {
  schema: z.strictObject({
    name: taskNamed("relay-hint"),
    distractors: z.int().min(0).max(8).default(relayHintDefaults.distractors).describe("Facts that nobody asks for"),
    hintTokens: z.int().min(1).max(28).default(relayHintDefaults.hintTokens).describe("Tokens that a hint may have"),
    actorTokens: z
      .int()
      .min(1)
      .max(28)
      .default(relayHintDefaults.actorTokens)
      .describe("Tokens that the actor may write"),
    actorReads: z
      .enum(["own", "everything"])
      .default(relayHintDefaults.actorReads)
      .describe("Facts that the actor reads besides the hint: its own, or all"),
    learns: z
      .enum(["collaborator", "actor"])
      .default(relayHintDefaults.learns)
      .describe("Who learns: the collaborator, or the actor for comparison"),
  }),
  title: () => "relay-hint",
  about: ({ actorReads = "own" }) =>
    `An actor is asked for a sum, such as k+e, and knows ${actorReads === "own" ? "the first value and every other time the second" : "all that the collaborator knows"}; the collaborator knows the second and writes it a hint. One of the two learns, and the answer is right if it is the sum.`,
  world: () => "relay/one-fact",
  hasFrozenAgents: () => true,
  open: (settings, { testProblems }) => relayHintTask({ ...settings, testProblems }),
};

/** A policy comments on the drafts of an actor that does not learn. */
export interface RelayCriticSettings extends Omit<RelayCriticOptions, "testProblems"> {
  readonly name: "relay-critic";
}

export const relayCritic: NamedTask<RelayCriticSettings> = {
  schema: z.strictObject({
    name: taskNamed("relay-critic"),
    commentTokens: z
      .int()
      .min(1)
      .max(28)
      .default(relayCriticDefaults.commentTokens)
      .describe("Tokens that a comment may have, the end token included"),
  }),
  title: () => "relay-critic",
  about: () =>
    "An actor that does not learn drafts a sum, such as k+e, of which it knows one value; the critic knows the other one and comments on the draft. The actor answers again with the comment, and is right if its second answer is the sum.",
  world: () => "relay/one-fact",
  hasFrozenAgents: () => true,
  open: (settings, { testProblems }) => relayCriticTask({ ...settings, testProblems }),
};

/** Two policies write for one grade. */
export interface RelayWritersSettings {
  readonly name: "relay-writers";
  /** A name and what it stands for, or two parts of like length. Default `unlike`. */
  readonly parts?: WritersParts;
}

export const relayWriters: NamedTask<RelayWritersSettings> = {
  schema: z.strictObject({
    name: taskNamed("relay-writers"),
    parts: z
      .enum(["unlike", "alike"])
      .default("unlike")
      .describe("What the two write together: a name and what it stands for, or two parts of like length"),
  }),
  title: ({ parts = "unlike" }) => (parts === "unlike" ? "relay-writers" : `relay-writers/${parts}`),
  about: ({ parts = "unlike" }) =>
    parts === "unlike"
      ? "Two writers know the same fact, such as k6, and write at once: the first is to name it briefly, the second to tell it in at least four times the length. One grade is for both, and full when both lengths, their ratio and both contents are right."
      : "Two writers know the same fact, such as k6, and write at once, at like length. One grade is for both, and full when both lengths and both contents are right.",
  world: () => "relay/one-fact",
  open: ({ parts }, { testProblems }) => relayWritersTask({ testProblems, ...(parts && { parts }) }),
};

/** Two policies write for one grade in two turns, with feedback from outside. */
export interface RelayFeedbackSettings {
  readonly name: "relay-feedback";
}

export const relayFeedback: NamedTask<RelayFeedbackSettings> = {
  schema: z.strictObject({ name: taskNamed("relay-feedback") }),
  title: () => "relay-feedback",
  about: () =>
    "Two writers are each to say one value at once, which nobody has told them; in the second turn whoever was wrong is told the fact. The grade is the share of the two that are right in the end.",
  world: () => "relay/one-fact",
  open: (_, { testProblems }) => relayFeedbackTask({ testProblems }),
};
