import type { TeamTask } from "../task.ts";
import * as z from "zod";
import { replyTokens, taskNamed, type NamedTask } from "./named-task.ts";
import { budgetFormNames } from "../stories/budget-forms.ts";
import {
  budgetCeiling,
  type StoryBudgetOptions,
  storyBudgetTask,
  trainedBudgets,
  unseenBudgets,
} from "../stories/budget.ts";
import { storyHintDefaults, type StoryHintOptions, storyHintTask } from "../stories/hint.ts";
import { knownNames } from "../stories/lexicon.ts";
import { storyRelayDefaults, tellerDefaults, type StoryRelayOptions, storyRelayTask } from "../stories/teller-team.ts";
import { storyTellersDefaults, type StoryTellersOptions, storyTellersTask } from "../stories/tellers.ts";
import { type StoryWritersOptions, storyWritersTask } from "../stories/writers.ts";
import type { TaskResources } from "../task-resources.ts";

/** What every story world takes of a run: its model's tokenizer, loaded here and not before, and the number of test problems. */
async function storyResources(
  resources: TaskResources,
): Promise<{ readonly tokenizer: TeamTask["tokenizer"]; readonly testProblems: number }> {
  const { tokenizerOf } = await import("../text/tokenizer-of.ts");
  return { tokenizer: await tokenizerOf(resources), testProblems: resources.testProblems };
}

/** Settings of the worlds in which tellers say whose a thing is. */
const tellerFields = (defaults: Readonly<Record<"tellerTokens" | "solverTokens", number>>) => ({
  tellerTokens: z.int().min(1).default(defaults.tellerTokens).describe("Tokens that a teller may write"),
  solverTokens: z.int().min(1).default(defaults.solverTokens).describe("Tokens that the solver may write"),
  madeUp: z.number().min(0).max(1).default(tellerDefaults.madeUp).describe("Share of children with a made-up name"),
  names: z
    .int()
    .min(1)
    .max(knownNames.length)
    .default(tellerDefaults.names)
    .describe("How many known names training has, the first of them"),
  ask: z
    .enum(["named", "thanks", "one-day"])
    .default(tellerDefaults.ask)
    .describe("What the solver goes on with, behind what it heard"),
  opening: z
    .string()
    .default(tellerDefaults.opening)
    .describe("What ends the story of the teller who knows, for it to go on from"),
  spelling: z
    .number()
    .min(0)
    .default(tellerDefaults.spelling)
    .describe("What spelling the name earns besides the grade"),
});

/** One tells a story on, one answers from what it heard. */
export interface StoryRelaySettings extends Omit<StoryRelayOptions, "testProblems" | "tokenizer"> {
  readonly name: "story-relay";
}

export const storyRelay: NamedTask<StoryRelaySettings> = {
  schema: z.strictObject({
    name: taskNamed("story-relay"),
    ...tellerFields(storyRelayDefaults),
  }),
  title: () => "story-relay",
  about: () =>
    "A teller goes on with a story of whose a thing is; the solver sees the thing and what the teller wrote, not the story. The answer is right if its first word is the owner's name.",
  open: async (settings, resources) => storyRelayTask({ ...settings, ...(await storyResources(resources)) }),
};

/** Of two to five tellers one knows; the others learn to be silent. */
export interface StoryTellersSettings extends Omit<StoryTellersOptions, "testProblems" | "tokenizer"> {
  readonly name: "story-tellers";
}

export const storyTellers: NamedTask<StoryTellersSettings> = {
  schema: z.strictObject({
    name: taskNamed("story-tellers"),
    ...tellerFields(storyTellersDefaults),
  }),
  title: () => "story-tellers",
  about: () =>
    "Two to five tellers go on with a story each: one, another one each time, reads whose the asked thing is, the others read of something else and do well to be silent. The solver hears all that is written, and is right if its first word is the owner's name.",
  open: async (settings, resources) => storyTellersTask({ ...settings, ...(await storyResources(resources)) }),
};

/** A helper that sees no more than the frozen actor does learns to help it. */
export interface StoryHintSettings extends Omit<StoryHintOptions, "testProblems" | "tokenizer"> {
  readonly name: "story-hint";
}

export const storyHint: NamedTask<StoryHintSettings> = {
  schema: z.strictObject({
    name: taskNamed("story-hint"),
    hintTokens: z.int().min(1).default(storyHintDefaults.hintTokens).describe("Tokens that a hint may have"),
    actorTokens: z.int().min(1).default(storyHintDefaults.actorTokens).describe("Tokens that the actor may write"),
    learns: z
      .enum(["helper", "actor"])
      .default(storyHintDefaults.learns)
      .describe("Who learns: the helper, or the actor for comparison"),
  }),
  title: () => "story-hint",
  about: () =>
    "A helper writes a few words behind the beginning of a story, and an actor goes on from there; both see the same beginning, and one of them learns. It counts as right if somebody in the story speaks.",
  hasFrozenAgents: () => true,
  open: async (settings, resources) => storyHintTask({ ...settings, ...(await storyResources(resources)) }),
};

/** Two policies go on with one story, for one grade. */
export interface StoryWritersSettings extends Omit<StoryWritersOptions, "testProblems" | "tokenizer"> {
  readonly name: "story-writers";
}

export const storyWriters: NamedTask<StoryWritersSettings> = {
  schema: z.strictObject({
    name: taskNamed("story-writers"),
    replyTokens: replyTokens(80),
  }),
  title: () => "story-writers",
  about: () =>
    "Two writers go on with the same story at once, the first briefly, the second at length, and neither sees the other's text. One grade is for both: for their lengths, their likeness and what they share.",
  open: async (settings, resources) => storyWritersTask({ ...settings, ...(await storyResources(resources)) }),
};

/** The budget stands in the prompt, and the team learns to keep to it. */
export interface StoryBudgetSettings extends Omit<StoryBudgetOptions, "testProblems" | "tokenizer"> {
  readonly name: "story-budget";
}

export const storyBudget: NamedTask<StoryBudgetSettings> = {
  schema: z.strictObject({
    name: taskNamed("story-budget"),
    budgets: z
      .array(z.int().min(1))
      .min(1)
      .default([...trainedBudgets])
      .describe("Budgets that stand in prompts during training"),
    unseenBudgets: z
      .array(z.int().min(1))
      .min(1)
      .default([...unseenBudgets])
      .describe("Budgets that stand in prompts of evaluations alone"),
    form: z.enum(budgetFormNames).default("unary").describe("How a budget is said in the prompt"),
    replyTokens: replyTokens(budgetCeiling),
  }),
  title: () => "story-budget",
  about: () =>
    "The writer's prompt says how many tokens it may take, another number each time. The grade is 1 at exactly that many and falls to 0 at none and at twice as many.",
  open: async (settings, resources) => storyBudgetTask({ ...settings, ...(await storyResources(resources)) }),
};
