import * as z from "zod";
import { relayCriticDefaults, relayCriticTask, relayHintDefaults, relayHintTask } from "../relay/actor-tasks.ts";
import { relayFeedbackTask, type RelayPairTask, relayWritersTask } from "../relay/pair-task.ts";
import { hintProbes, pairProbes, relayProbes } from "../relay/probes.ts";
import { relayLevels, type RelayLevelName } from "../relay/problem.ts";
import { relayTask } from "../relay/task.ts";
import { knownNames } from "../stories/lexicon.ts";
import { storyTellersDefaults, storyTellersTask } from "../stories/teller-team.ts";
import type { TeamTask } from "../task.ts";
import { settings, tokens, type NamedTasks } from "./named-task.ts";

const oneFact = (): string => "relay/one-fact";

const pairWithProbes = (task: RelayPairTask): TeamTask => ({ ...task, probes: pairProbes(task.name) });

export const worlds: NamedTasks<
  "relay" | "relay-hint" | "relay-critic" | "relay-writers" | "relay-feedback" | "story-tellers"
> = {
  relay: {
    schema: settings("relay", {
      level: z.enum(Object.keys(relayLevels) as RelayLevelName[]).describe("Distribution of facts over the agents"),
    }),
    title: ({ level }) => `relay/${level}`,
    about: ({ level }) => {
      const { holders, factsPerHolder } = relayLevels[level];
      const facts = factsPerHolder === 1 ? "a private fact" : `${factsPerHolder} private facts`;
      return `${holders} holders know ${facts} each, such as k6 (k is 6). Each writes to the solver or stays silent, and reads no other holder. The solver sees the question, such as k+e, and the messages. Its answer is right if it is the sum.`;
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
      `An actor adds two numbers, such as k+e. It knows ${actorReads === "own" ? "the first value, and in half of the problems the second" : "all that the collaborator knows"}. The collaborator knows the second value and writes a hint. One of the two learns. The answer is right if it is the sum.`,
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
      "A frozen actor drafts a sum, such as k+e, and knows one value. The critic knows the other value and comments on the draft. The actor reads the comment and answers again. The second answer is right if it is the sum.",
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
        .describe("Parts of the joint text: a name and its value, or two parts of equal length"),
    }),
    title: ({ parts = "unlike" }) => (parts === "unlike" ? "relay-writers" : `relay-writers/${parts}`),
    about: ({ parts = "unlike" }) =>
      parts === "unlike"
        ? "Two writers know the same fact, such as k6, and write at the same time: the first briefly, the second at least four times as long. Both get one grade for contents, lengths and their ratio."
        : "Two writers know the same fact, such as k6, and write texts of equal length at the same time. Both get one grade for contents and lengths.",
    world: oneFact,
    open: (options, { testProblems }) => pairWithProbes(relayWritersTask({ ...options, testProblems })),
  },
  "relay-feedback": {
    schema: settings("relay-feedback", {}),
    about: () =>
      "Two writers guess one value each at the same time. In the second turn, a writer that was wrong reads the fact. The grade is the share of right writers after it.",
    world: oneFact,
    open: (_, { testProblems }) => pairWithProbes(relayFeedbackTask({ testProblems })),
  },
  "story-tellers": {
    schema: settings("story-tellers", {
      tellerTokens: tokens(storyTellersDefaults.tellerTokens, "Max tokens per teller"),
      solverTokens: tokens(storyTellersDefaults.solverTokens, "Max tokens of the solver"),
      madeUp: z
        .number()
        .min(0)
        .max(1)
        .default(storyTellersDefaults.madeUp)
        .describe("Share of children with a made-up name"),
      names: tokens(storyTellersDefaults.names, "Number of known names in training, from the first", knownNames.length),
      ask: z
        .enum(["named", "thanks", "one-day"])
        .default(storyTellersDefaults.ask)
        .describe("Solver's prompt after the received messages"),
      opening: z.string().default(storyTellersDefaults.opening).describe("Text after each teller's story"),
      spelling: z.number().min(0).default(storyTellersDefaults.spelling).describe("Extra reward for spelling the name"),
    }),
    about: () =>
      "Two to five tellers each continue a story. One of them, drawn for each problem, reads who owns the asked thing. The others should be silent. The solver reads all messages. Its answer is right if the first word is the owner's name.",
    open: async (options, resources) => {
      const { tokenizerOf } = await import("../text/tokenizer-of.ts");
      const { testProblems } = resources;
      return storyTellersTask({ ...options, tokenizer: await tokenizerOf(resources), testProblems });
    },
  },
};
