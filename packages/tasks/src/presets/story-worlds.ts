import type { TaskSettings } from "../named/index.ts";
import type { BudgetedTrainSettings, Preset } from "./preset.ts";

/** The TinyStories model of 260,000 weights. */
const model = "stories260k";

/** AgentPO's claim with a language model of 260,000 weights. An untrained helper does harm, a trained one helps. */
export const storyHint: Preset = {
  task: { name: "story-hint" },
  model,
  device: "wasm",
  train: {
    steps: 60,
    problemsPerStep: 6,
    episodesPerProblem: 8,
    minibatches: 2,
    oldLogProbs: "sampler",
    objective: { name: "gspo", clip: { low: 0.03, high: 0.04 }, kl: { estimator: "k3", coefficient: 0.05 } },
    advantage: { estimator: "group", scale: "none" },
    optimizer: { learningRate: { peak: 4e-4, warmUpSteps: 3, decay: "cosine", finalFraction: 0.1 } },
    budget: null,
    evaluation: { every: 20, problems: 200, transcripts: 4 },
    checkpoint: { every: 20, keep: 2 },
  },
};

/** What the worlds below have in common; each sets what it was found to need. */
const train = {
  problemsPerStep: 6,
  episodesPerProblem: 8,
  minibatches: 2,
  oldLogProbs: "sampler",
  objective: { name: "gspo", clip: { low: 0.03, high: 0.04 }, kl: { estimator: "k3", coefficient: 0.03 } },
  advantage: { estimator: "group", scale: "none" },
  budget: null,
  evaluation: { every: 20, problems: 200, transcripts: 4, language: true },
  checkpoint: { every: 20, keep: 2 },
} as const satisfies Preset["train"];

/** How a teller who knows begins: story models go on from it with a name more often than from a full stop. */
const opening = "One day,";

/** Half of the names of training are made up, so that copying stays copying and is not taken back to memory. */
const madeUp = 0.5;

const learningRate = { peak: 3e-4, warmUpSteps: 8, decay: "cosine", finalFraction: 0.1 } as const;

/** Words get their price when the first steps have shown what silence is worth without one. */
const budget = {
  learningRate: 3e-4,
  proportionalGain: 2e-3,
  maxPrice: 0.05,
  warmupIterations: 10,
  annealIterations: 10,
  guard: { action: "freeze", rewardTolerance: 0.1, maxSilenceRate: 0.6 },
} as const;

/** Learned silence: of two to five tellers one knows whose the thing is; the others cost words and lead the solver astray. */
export const storyTellers: Preset<TaskSettings, BudgetedTrainSettings> = {
  task: { name: "story-tellers", madeUp: 0.7 },
  model,
  warmStart: { name: "owners" },
  device: "wasm",
  train: {
    ...train,
    steps: 75,
    sampling: { temperature: 0.6 },
    objective: { ...train.objective, kl: { estimator: "k3", coefficient: 0.02 } as const },
    optimizer: { learningRate: { ...learningRate, peak: 4e-4 } },
    // A price that silences who knows is too high: a message is worth a whole answer.
    budget: { ...budget, targetTokens: 14, maxPrice: 0.01 },
    evaluation: { ...train.evaluation, every: 25, problems: 300 },
    checkpoint: { every: 25, keep: 2 },
  },
};

/** One tells a story on and one answers from it, at a price per token. */
export const storyRelay: Preset = {
  task: { name: "story-relay", opening, madeUp },
  model,
  warmStart: { name: "copying" },
  device: "wasm",
  train: {
    ...train,
    steps: 80,
    optimizer: { learningRate },
    // Nobody is idle here, so there is nothing to wait for.
    budget: { ...budget, targetTokens: 10, warmupIterations: 2 },
  },
};

/** MAGRPO: two policies go on with one story for one grade; KL keeps them writing English. */
export const storyWriters: Preset = {
  task: { name: "story-writers" },
  model,
  device: "wasm",
  policies: "own",
  train: {
    ...train,
    steps: 60,
    problemsPerStep: 4,
    minibatches: 1,
    objective: { name: "magrpo", kl: { estimator: "k3", coefficient: 0.05 } },
    groupBy: "tree-node",
    tree: { mode: "aligned", gamma: 0.9, stopAbove: null },
    optimizer: { learningRate: { peak: 5e-4, warmUpSteps: 3, decay: "cosine", finalFraction: 0.1 } },
  },
};

/** Agents that keep to a budget which their prompt says in unary, after a supervised warm start on budgets. */
export const storyBudget: Preset = {
  // A larger share of small ones than the warm start has: there a token more is a larger part.
  task: { name: "story-budget", budgets: [4, 8, 12, 16, 18, 22, 24, 26, 30, 32] },
  model,
  warmStart: { name: "budgets" },
  device: "wasm",
  train: {
    ...train,
    steps: 120,
    // In evaluations too: a reply spreads less around its budget, and so does one of the model as it was.
    sampling: { temperature: 0.7 },
    objective: { ...train.objective, kl: { estimator: "k3", coefficient: 0.025 } as const },
    optimizer: { learningRate: { peak: 5e-4, warmUpSteps: 3, decay: "cosine", finalFraction: 0.1 } },
    evaluation: { ...train.evaluation, every: 60, problems: 400 },
    checkpoint: { every: 60, keep: 2 },
  },
};

/** AgentPO's comparison: the actor itself learns, behind a helper that stays as it is. */
export const storyActor: Preset = { ...storyHint, task: { name: "story-hint", learns: "actor" } };
