import type { SettingsOf } from "../named/index.ts";
import type { BudgetedTrainSettings, Preset } from "./preset.ts";

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
      guard: { action: "freeze", rewardTolerance: 0.1, maxSilenceRate: 0.6 },
    },
    evaluation: { every: 25, problems: 300, transcripts: 4, language: true },
    checkpoint: { every: 25, keep: 2 },
  },
};
