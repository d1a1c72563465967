import type { TaskSettings } from "../named/index.ts";
import type { BudgetedTrainSettings, Preset } from "./preset.ts";

const model = "stories260k";

/** AgentPO's claim with 260,000 weights: only a trained helper helps. */
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

/** Story models often continue this with a name. */
const opening = "One day,";

/** Made-up names are copied, not memorised. */
const madeUp = 0.5;

const learningRate = { peak: 3e-4, warmUpSteps: 8, decay: "cosine", finalFraction: 0.1 } as const;

/** The first steps show the value of silence. */
const budget = {
  learningRate: 3e-4,
  proportionalGain: 2e-3,
  maxPrice: 0.05,
  warmupIterations: 10,
  annealIterations: 10,
  guard: { action: "freeze", rewardTolerance: 0.1, maxSilenceRate: 0.6 },
} as const;

/** Learned silence: one of two to five tellers knows the owner. */
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
    // A higher price silences the informed teller.
    budget: { ...budget, targetTokens: 14, maxPrice: 0.01 },
    evaluation: { ...train.evaluation, every: 25, problems: 300 },
    checkpoint: { every: 25, keep: 2 },
  },
};

/** A teller continues a story, a solver answers, at a price per token. */
export const storyRelay: Preset = {
  task: { name: "story-relay", opening, madeUp },
  model,
  warmStart: { name: "copying" },
  device: "wasm",
  train: {
    ...train,
    steps: 80,
    optimizer: { learningRate },
    // No agent is idle.
    budget: { ...budget, targetTokens: 10, warmupIterations: 2 },
  },
};

/** MAGRPO: two policies continue one story for one grade; KL keeps the English. */
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

/** Agents keep a budget stated in unary. */
export const storyBudget: Preset = {
  // One token matters more in small budgets.
  task: { name: "story-budget", budgets: [4, 8, 12, 16, 18, 22, 24, 26, 30, 32] },
  model,
  warmStart: { name: "budgets" },
  device: "wasm",
  train: {
    ...train,
    steps: 120,
    // Reply lengths vary less around the budget.
    sampling: { temperature: 0.7 },
    objective: { ...train.objective, kl: { estimator: "k3", coefficient: 0.025 } as const },
    optimizer: { learningRate: { peak: 5e-4, warmUpSteps: 3, decay: "cosine", finalFraction: 0.1 } },
    evaluation: { ...train.evaluation, every: 60, problems: 400 },
    checkpoint: { every: 60, keep: 2 },
  },
};

/** AgentPO's comparison: trains the actor with a frozen helper. */
export const storyActor: Preset = { ...storyHint, task: { name: "story-hint", learns: "actor" } };
