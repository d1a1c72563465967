import type { Preset } from "./preset.ts";

/**
 * AgentPO's claim with a real language model of 260,000 weights: the helper sees no more than the frozen actor, which speaks
 * at temperature 0 as in the paper. An untrained helper does harm, a trained one helps. `model` is a folder with a TinyStories model.
 */
export const storyHint: Preset = {
  task: { name: "story-hint" },
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

/** AgentPO's comparison: the actor itself learns, behind a helper that stays as it is. */
export const storyActor: Preset = { ...storyHint, task: { name: "story-hint", learns: "actor" } };
