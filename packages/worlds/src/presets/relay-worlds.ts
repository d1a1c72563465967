import type { TrainSettings } from "@laconic/trainer";
import type { TaskSettings } from "../named/named-tasks.ts";
import type { RelayCriticSettings } from "../named/relay-critic.ts";
import type { RelayFeedbackSettings } from "../named/relay-feedback.ts";
import type { RelayHintSettings } from "../named/relay-hint.ts";
import type { RelayWritersSettings } from "../named/relay-writers.ts";
import type { Preset } from "./preset.ts";

/** Small worlds on two cores, each of a preset for real checkpoints: the shipped policy, seconds to minutes. */
const world = <Task extends TaskSettings>(task: Task, train: TrainSettings): Preset<Task> => ({
  task,
  device: "wasm",
  train: {
    oldLogProbs: "sampler",
    budget: null,
    evaluation: { every: 10, problems: 400, transcripts: 4 },
    checkpoint: { every: 10, keep: 2 },
    ...train,
  },
});

/**
 * AgentPO's released settings (see `agentpo.ts`), but for 0.1M weights: 3e-4 instead of 1e-6, and fewer steps.
 */
const agentPoTrain: TrainSettings = {
  steps: 40,
  problemsPerStep: 12,
  episodesPerProblem: 16,
  minibatches: 3,
  objective: { name: "dapo" },
  advantage: { estimator: "group", scale: "group" },
  optimizer: {
    weightDecay: 0.1,
    learningRate: { peak: 3e-4, warmUpSteps: 10, decay: "constant", finalFraction: 1 },
  },
};

/** MAGRPO's settings (see `magrpo.ts`), but for 0.1M weights: 1e-3 instead of 5e-6, and more replies a node. */
const magrpoTrain: TrainSettings = {
  steps: 60,
  problemsPerStep: 16,
  episodesPerProblem: 8,
  minibatches: 1,
  objective: { name: "magrpo" },
  advantage: { estimator: "group", scale: "none" },
  groupBy: "tree-node",
  tree: { mode: "aligned", gamma: 0.9, stopAbove: null },
  optimizer: { learningRate: { peak: 1e-3, warmUpSteps: 5, decay: "constant", finalFraction: 1 } },
};

/** AgentPO in small: a collaborator with private facts writes hints. */
export const relayHint: Preset<RelayHintSettings> = world({ name: "relay-hint" }, agentPoTrain);
/** AgentPO in small: a collaborator with private facts comments on a draft. */
export const relayCritic: Preset<RelayCriticSettings> = world({ name: "relay-critic" }, agentPoTrain);
/** AgentPO's comparison: the actor itself learns, at as many replies. */
export const relayActor: Preset<RelayHintSettings> = world({ name: "relay-hint", learns: "actor" }, agentPoTrain);
/** MAGRPO in small, one turn. */
export const relayWriters: Preset<RelayWritersSettings> = {
  ...world({ name: "relay-writers" }, magrpoTrain),
  policies: "own",
};
/** MAGRPO in small, two turns. */
export const relayFeedback: Preset<RelayFeedbackSettings> = {
  ...world(
    { name: "relay-feedback" },
    { ...magrpoTrain, tree: { mode: "aligned", gamma: 0.9, stopAbove: 0.95 }, episodesPerProblem: 4 },
  ),
  policies: "own",
};
