/**
 * AgentPO, hint and actor: GRPO on the collaborator alone, the actor frozen at temperature 0. As the paper's released code has
 * it: 12 problems, 16 samples, 3 updates a step, clip 0.2/0.28 and a token mean (`dapo`), weight decay 0.1, clip of the
 * gradient at 1, no KL, no entropy. Not as there: a world for two cores (`relay-hint`) and so another learning rate (3e-4
 * instead of 1e-6: 0.1M weights, not 3B), no dual clip, fewer steps.
 */
export const agentPoHint: Readonly<Record<string, unknown>> = {
  task: { name: "relay-hint" },
  device: "wasm",
  train: {
    steps: 40,
    problemsPerStep: 12,
    episodesPerProblem: 16,
    minibatches: 3,
    oldLogProbs: "sampler",
    objective: { name: "dapo" },
    advantage: { estimator: "group", scale: "group" },
    budget: null,
    optimizer: {
      weightDecay: 0.1,
      learningRate: { peak: 3e-4, warmUpSteps: 10, decay: "constant", finalFraction: 1 },
    },
    evaluation: { every: 10, problems: 400, transcripts: 4 },
    checkpoint: { every: 10, keep: 2 },
  },
};
