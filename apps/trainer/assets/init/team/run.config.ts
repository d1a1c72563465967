import { defineRun } from "@laconic/cli";
import task from "./task.ts";

export default defineRun({
  task,
  device: "wasm",
  workers: 2,
  train: {
    steps: 60,
    problemsPerStep: 16,
    episodesPerProblem: 8,
    oldLogProbs: "sampler",
    objective: { name: "gspo", clip: { low: 0.03, high: 0.04 } },
    advantage: { estimator: "group", scale: "none" },
    // The reward has terms of single agents, so each agent's rewards are compared separately.
    groupBy: "prompt+agent",
    // Price of a token; a `budget` finds it automatically.
    prices: { tokens: 0.01 },
    optimizer: { learningRate: { peak: 3e-4, warmUpSteps: 5, decay: "cosine", finalFraction: 0.1 } },
    evaluation: { every: 20, problems: 400, transcripts: 4 },
  },
});
