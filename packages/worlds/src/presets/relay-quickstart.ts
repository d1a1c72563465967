import type { RelaySettings } from "../named/relay.ts";
import type { BudgetedTrainSettings, Preset } from "./preset.ts";

/**
 * Agent-GSPO on the relay task, sized for two cores and about two minutes. Deviations from the paper's defaults, each
 * measured (docs: quickstart results): mean-only advantages, because Eq. 2's division makes λ inert in groups whose
 * answers are all right; a proportional term beside Eq. 5, because the integral alone overshoots into silence; a wide
 * clip, because the paper's 3e-4/4e-4 belongs to steps of 1e-6.
 */
export const relayQuickstart: Preset<RelaySettings, BudgetedTrainSettings> = {
  task: { name: "relay", level: "one-fact" },
  // What every machine has: the measured figures hold wherever Node runs.
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
      guard: { action: "freeze", rewardTolerance: 0.1, maxSilenceRate: 0.6 },
    },
    optimizer: { learningRate: { peak: 3e-4, warmUpSteps: 5, decay: "cosine", finalFraction: 0.05 } },
    evaluation: { every: 20, problems: 400, transcripts: 4 },
    checkpoint: { every: 20, keep: 2 },
  },
};
