import * as z from "zod";
import { relayCriticDefaults, relayCriticTask, relayHintDefaults, relayHintTask } from "../relay/actor-tasks.ts";
import { relayFeedbackTask, type RelayPairTask, relayWritersTask } from "../relay/pair-task.ts";
import { hintProbes, pairProbes, relayProbes } from "../relay/probes.ts";
import { relayLevels, type RelayLevelName } from "../relay/problem.ts";
import { relayTask } from "../relay/task.ts";
import { budgetCeiling, budgetFormNames, storyBudgetTask, trainedBudgets, unseenBudgets } from "../stories/budget.ts";
import { storyHintDefaults, storyHintTask } from "../stories/hint.ts";
import { storyWritersTask } from "../stories/writers.ts";
import { knownNames } from "../stories/lexicon.ts";
import type { StoryOptions } from "../stories/story.ts";
import {
  storyRelayDefaults,
  storyRelayTask,
  storyTellersDefaults,
  storyTellersTask,
  type TellerSettings,
} from "../stories/teller-team.ts";
import type { TeamTask } from "../task.ts";
import type { TaskResources } from "../task-resources.ts";
import { replyTokens, settings, tokens, type NamedTasks } from "./named-task.ts";

const oneFact = (): string => "relay/one-fact";

const pairWithProbes = (task: RelayPairTask): TeamTask => ({ ...task, probes: pairProbes(task.name) });

/** The relay and worlds in its vocabulary. */
export const relayWorlds: NamedTasks<"relay" | "relay-hint" | "relay-critic" | "relay-writers" | "relay-feedback"> = {
  relay: {
    schema: settings("relay", {
      level: z.enum(Object.keys(relayLevels) as RelayLevelName[]).describe("Distribution of facts over the agents"),
    }),
    title: ({ level }) => `relay/${level}`,
    about: ({ level }) => {
      const { holders, factsPerHolder } = relayLevels[level];
      const facts = factsPerHolder === 1 ? "a private fact" : `${factsPerHolder} private facts`;
      return `${holders} holders know ${facts} each, such as k6 (k is 6), and write to the solver unheard by each other, or stay silent. The solver sees the question, such as k+e, and what was written: its answer is right if it is the sum.`;
    },
    world: ({ level }) => `relay/${level}`,
    open: ({ level }, { testProblems }) => ({
      ...relayTask({ level, testProblems }),
      probes: relayProbes(relayLevels[level]),
    }),
  },
  "relay-hint": {
    schema: settings("relay-hint", {
      distractors: z.int().min(0).max(8).default(relayHintDefaults.distractors).describe("Number of irrelevant facts"),
      hintTokens: tokens(relayHintDefaults.hintTokens, "Max hint length in tokens", 28),
      actorTokens: tokens(relayHintDefaults.actorTokens, "Max tokens of the actor", 28),
      actorReads: z
        .enum(["own", "everything"])
        .default(relayHintDefaults.actorReads)
        .describe("Facts in the actor's prompt: its own, or all"),
      learns: z
        .enum(["collaborator", "actor"])
        .default(relayHintDefaults.learns)
        .describe("Trained agent: the collaborator, or the actor for comparison"),
    }),
    about: ({ actorReads = "own" }) =>
      `An actor is asked for a sum, such as k+e, and knows ${actorReads === "own" ? "the first value and every other time the second" : "all that the collaborator knows"}; the collaborator knows the second and writes it a hint. One of the two learns, and the answer is right if it is the sum.`,
    world: oneFact,
    hasFrozenAgents: () => true,
    open: (options, { testProblems }) => ({
      ...relayHintTask({ ...options, testProblems }),
      probes: hintProbes,
    }),
  },
  "relay-critic": {
    schema: settings("relay-critic", {
      commentTokens: tokens(relayCriticDefaults.commentTokens, "Max comment length in tokens, end token included", 28),
    }),
    about: () =>
      "An actor that does not learn drafts a sum, such as k+e, of which it knows one value; the critic knows the other one and comments on the draft. The actor answers again with the comment, and is right if its second answer is the sum.",
    world: oneFact,
    hasFrozenAgents: () => true,
    open: (options, { testProblems }) => ({
      ...relayCriticTask({ ...options, testProblems }),
      probes: hintProbes,
    }),
  },
  "relay-writers": {
    schema: settings("relay-writers", {
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
    world: oneFact,
    open: (options, { testProblems }) => pairWithProbes(relayWritersTask({ ...options, testProblems })),
  },
  "relay-feedback": {
    schema: settings("relay-feedback", {}),
    about: () =>
      "Two writers are each to say one value at once, which nobody has told them; in the second turn whoever was wrong is told the fact. The grade is the share of the two that are right in the end.",
    world: oneFact,
    open: (_, { testProblems }) => pairWithProbes(relayFeedbackTask({ testProblems })),
  },
};

/** Uses the tokenizer of the run's model. */
function story<Options extends StoryOptions>(
  make: (options: Options) => TeamTask,
): (options: Omit<Options, keyof StoryOptions>, resources: TaskResources) => Promise<TeamTask> {
  return async (options, resources) => {
    const { tokenizerOf } = await import("../text/tokenizer-of.ts");
    const { testProblems } = resources;
    return make({ ...options, tokenizer: await tokenizerOf(resources), testProblems } as unknown as Options);
  };
}

const tellerFields = (defaults: TellerSettings) => ({
  tellerTokens: tokens(defaults.tellerTokens, "Max tokens per teller"),
  solverTokens: tokens(defaults.solverTokens, "Max tokens of the solver"),
  madeUp: z.number().min(0).max(1).default(defaults.madeUp).describe("Share of children with a made-up name"),
  names: tokens(defaults.names, "Number of known names in training, from the first", knownNames.length),
  ask: z
    .enum(["named", "thanks", "one-day"])
    .default(defaults.ask)
    .describe("Solver's prompt after the received messages"),
  opening: z.string().default(defaults.opening).describe("End of the informed teller's story"),
  spelling: z.number().min(0).default(defaults.spelling).describe("Extra reward for spelling the name"),
});

const budgetList = (budgets: readonly number[]): z.ZodDefault<z.ZodArray<z.ZodInt>> =>
  z
    .array(z.int().min(1))
    .min(1)
    .default([...budgets]);

/** Worlds of story models. */
export const storyWorlds: NamedTasks<
  "story-relay" | "story-tellers" | "story-hint" | "story-writers" | "story-budget"
> = {
  "story-relay": {
    schema: settings("story-relay", tellerFields(storyRelayDefaults)),
    about: () =>
      "A teller continues a story about a thing's owner; the solver sees the thing and what the teller wrote, not the story. The answer is right if its first word is the owner's name.",
    open: story(storyRelayTask),
  },
  "story-tellers": {
    schema: settings("story-tellers", tellerFields(storyTellersDefaults)),
    about: () =>
      "Two to five tellers go on with a story each: one, another one each time, reads whose the asked thing is, the others read of something else and do well to be silent. The solver hears all that is written, and is right if its first word is the owner's name.",
    open: story(storyTellersTask),
  },
  "story-hint": {
    schema: settings("story-hint", {
      hintTokens: tokens(storyHintDefaults.hintTokens, "Max hint length in tokens"),
      actorTokens: tokens(storyHintDefaults.actorTokens, "Max tokens of the actor"),
      learns: z
        .enum(["helper", "actor"])
        .default(storyHintDefaults.learns)
        .describe("Trained agent: the helper, or the actor for comparison"),
    }),
    about: () =>
      "A helper writes a few words behind the beginning of a story, and an actor goes on from there; both see the same beginning, and one of them learns. It counts as right if somebody in the story speaks.",
    hasFrozenAgents: () => true,
    open: story(storyHintTask),
  },
  "story-writers": {
    schema: settings("story-writers", { replyTokens: replyTokens(80) }),
    about: () =>
      "Two writers go on with the same story at once, the first briefly, the second at length, and neither sees the other's text. One grade is for both: for their lengths, their likeness and what they share.",
    open: story(storyWritersTask),
  },
  "story-budget": {
    schema: settings("story-budget", {
      budgets: budgetList(trainedBudgets).describe("Budgets in training prompts"),
      unseenBudgets: budgetList(unseenBudgets).describe("Budgets in evaluation prompts only"),
      form: z.enum(budgetFormNames).default("unary").describe("Wording of a budget in the prompt"),
      replyTokens: replyTokens(budgetCeiling),
    }),
    about: () =>
      "The writer's prompt says how many tokens it may take, another number each time. The grade is 1 at exactly that many and falls to 0 at none and at twice as many.",
    open: story(storyBudgetTask),
  },
};
