import type { TrainSettings } from "@laconic/trainer";
import type { SettingsOf, TaskSettings } from "../named/index.ts";
import type { BudgetedTrainSettings, Preset } from "./preset.ts";

const guard = { action: "freeze", rewardTolerance: 0.1, maxSilenceRate: 0.6 } as const;

/**
 * Agent-GSPO on the relay, for two cores and two minutes. Measured deviations: mean-only advantages, because Eq. 2's
 * division makes λ inert in all-right groups; a proportional term, because the integral overshoots into silence; a wide
 * clip, because the paper's 3e-4/4e-4 fits steps of 1e-6.
 */
export const relayQuickstart: Preset<SettingsOf<"relay">, BudgetedTrainSettings> = {
  task: { name: "relay", level: "one-fact" },
  // Available on every machine.
  device: "wasm",
  train: {
    steps: 200,
    problemsPerStep: 16,
    episodesPerProblem: 8,
    minibatches: 2,
    oldLogProbs: "sampler",
    objective: { name: "gspo", clip: { low: 0.03, high: 0.04 } },
    advantage: { estimator: "group", scale: "none" },
    budget: {
      targetTokens: 14,
      learningRate: 1e-5,
      proportionalGain: 2e-3,
      maxPrice: 0.05,
      warmupIterations: 10,
      annealIterations: 80,
      guard,
    },
    optimizer: { learningRate: { peak: 3e-4, warmUpSteps: 5, decay: "cosine", finalFraction: 0.05 } },
    evaluation: { every: 20, problems: 400, transcripts: 4 },
    checkpoint: { every: 20, keep: 2 },
  },
};

/** Small versions of the paper presets, with the shipped policy. */
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

/** AgentPO's settings for 0.1M weights: 3e-4 instead of 1e-6, and fewer steps. */
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

/** MAGRPO's settings for 0.1M weights: 1e-3 instead of 5e-6, and more replies per node. */
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
export const relayHint: Preset<SettingsOf<"relay-hint">> = world({ name: "relay-hint" }, agentPoTrain);
/**
 * AgentPO in small: a collaborator comments on a draft. Early groups rarely differ in rewards, so some seeds need 50
 * steps.
 */
export const relayCritic: Preset<SettingsOf<"relay-critic">> = world(
  { name: "relay-critic" },
  { ...agentPoTrain, steps: 100 },
);
/** AgentPO's comparison: trains the actor with as many replies. */
export const relayActor: Preset<SettingsOf<"relay-hint">> = world(
  { name: "relay-hint", learns: "actor" },
  agentPoTrain,
);
/** MAGRPO in small, one turn. */
export const relayWriters: Preset<SettingsOf<"relay-writers">> = {
  ...world({ name: "relay-writers" }, magrpoTrain),
  policies: "own",
};
/** MAGRPO in small, two turns. */
export const relayFeedback: Preset<SettingsOf<"relay-feedback">> = {
  ...world(
    { name: "relay-feedback" },
    { ...magrpoTrain, tree: { mode: "aligned", gamma: 0.9, stopAbove: 0.95 }, episodesPerProblem: 4 },
  ),
  policies: "own",
};

const stepsTrain = {
  steps: 40,
  problemsPerStep: 16,
  episodesPerProblem: 8,
  oldLogProbs: "sampler",
  budget: null,
  evaluation: { every: 20, problems: 200, transcripts: 4 },
  checkpoint: { every: 20, keep: 2 },
} as const;

const constantRate = { peak: 2e-4, warmUpSteps: 5, decay: "constant", finalFraction: 1 } as const;

/**
 * Agent-GSPO on word problems: each of three holders has some of the facts, the solver has only the question. All are
 * the base `reasoner`, which tells most facts.
 */
export const stepsStar: Preset<SettingsOf<"benchmark">, BudgetedTrainSettings> = {
  task: { name: "benchmark", benchmark: "steps", team: "star", agents: 3, replyTokens: 64, actorTokens: 128 },
  model: "reasoner",
  device: "wasm",
  train: {
    ...stepsTrain,
    minibatches: 2,
    objective: { name: "gspo", clip: { low: 0.03, high: 0.04 }, kl: { estimator: "k3", coefficient: 0.02 } },
    advantage: { estimator: "group", scale: "none" },
    budget: {
      targetTokens: 60,
      learningRate: 1e-4,
      proportionalGain: 5e-4,
      maxPrice: 0.004,
      warmupIterations: 5,
      annealIterations: 10,
      guard,
    },
    optimizer: { learningRate: { peak: 2e-4, warmUpSteps: 5, decay: "cosine", finalFraction: 0.1 } },
  },
};

/** AgentPO: a hint for the frozen base. */
export const stepsHint: Preset<SettingsOf<"benchmark">> = {
  task: { name: "benchmark", benchmark: "steps", team: "hint", replyTokens: 96, actorTokens: 128 },
  model: "reasoner",
  actor: { model: "reasoner" },
  device: "wasm",
  train: {
    ...stepsTrain,
    episodesPerProblem: 16,
    minibatches: 2,
    objective: { name: "dapo" },
    advantage: { estimator: "group", scale: "group" },
    optimizer: { learningRate: constantRate },
  },
};

/** AgentPO's comparison: the solver itself, with as many samples. */
export const stepsActor: Preset<SettingsOf<"benchmark">> = {
  ...stepsHint,
  task: { name: "benchmark", benchmark: "steps", team: "solo", replyTokens: 128 },
  actor: null,
};

/** MAGRPO: two holders and a solver with separate policies share one reward. */
export const stepsSplit: Preset<SettingsOf<"benchmark">> = {
  task: { name: "benchmark", benchmark: "steps", team: "star", agents: 2, replyTokens: 64, actorTokens: 128 },
  model: "reasoner",
  policies: "own",
  device: "wasm",
  train: {
    ...stepsTrain,
    minibatches: 1,
    objective: { name: "magrpo" },
    advantage: { estimator: "group", scale: "none" },
    optimizer: { learningRate: constantRate },
  },
};

/** Learned silence: one of two to five tellers knows the owner. */
export const storyTellers: Preset<SettingsOf<"story-tellers">, BudgetedTrainSettings> = {
  // Made-up names are copied, not memorised.
  task: { name: "story-tellers", madeUp: 0.7 },
  model: "stories260k",
  warmStart: { name: "owners" },
  device: "wasm",
  train: {
    steps: 75,
    problemsPerStep: 6,
    episodesPerProblem: 8,
    minibatches: 2,
    sampling: { temperature: 0.6 },
    oldLogProbs: "sampler",
    objective: { name: "gspo", clip: { low: 0.03, high: 0.04 }, kl: { estimator: "k3", coefficient: 0.02 } },
    advantage: { estimator: "group", scale: "none" },
    optimizer: { learningRate: { peak: 4e-4, warmUpSteps: 8, decay: "cosine", finalFraction: 0.1 } },
    budget: {
      targetTokens: 14,
      learningRate: 3e-4,
      proportionalGain: 2e-3,
      // A higher price silences the informed teller.
      maxPrice: 0.01,
      // The first steps show the value of silence.
      warmupIterations: 10,
      annealIterations: 10,
      guard,
    },
    evaluation: { every: 25, problems: 300, transcripts: 4, language: true },
    checkpoint: { every: 25, keep: 2 },
  },
};
