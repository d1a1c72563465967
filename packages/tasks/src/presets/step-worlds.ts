import type { SettingsOf } from "../named/index.ts";
import type { BudgetedTrainSettings, Preset } from "./preset.ts";

const train = {
  steps: 40,
  problemsPerStep: 8,
  episodesPerProblem: 8,
  oldLogProbs: "sampler",
  budget: null,
  evaluation: { every: 20, problems: 200, transcripts: 4 },
  checkpoint: { every: 20, keep: 2 },
} as const;

const constantRate = { peak: 2e-4, warmUpSteps: 5, decay: "constant", finalFraction: 1 } as const;

/**
 * Agent-GSPO on word problems: each of three holders has some of the facts, the solver has only the question. All are
 * the base of `laconic pretrain preset:reasoner`, which retells every fact.
 */
export const stepsStar: Preset<SettingsOf<"benchmark">, BudgetedTrainSettings> = {
  task: { name: "benchmark", benchmark: "steps", team: "star", agents: 3, replyTokens: 64, actorTokens: 128 },
  model: "reasoner",
  device: "wasm",
  train: {
    ...train,
    minibatches: 2,
    objective: { name: "gspo", clip: { low: 0.03, high: 0.04 }, kl: { estimator: "k3", coefficient: 0.02 } },
    advantage: { estimator: "group", scale: "none" },
    budget: {
      targetTokens: 80,
      learningRate: 1e-5,
      proportionalGain: 5e-4,
      maxPrice: 0.01,
      warmupIterations: 5,
      annealIterations: 10,
      guard: { action: "freeze", rewardTolerance: 0.1, maxSilenceRate: 0.6 },
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
    ...train,
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
    ...train,
    minibatches: 1,
    objective: { name: "magrpo" },
    advantage: { estimator: "group", scale: "none" },
    optimizer: { learningRate: constantRate },
  },
};
