import { defineRun } from "laconic";
import task, { examples } from "./task.ts";

export default defineRun({
  task,
  // Knows nothing and reads bytes: `examples` teach it to answer. Put "hub:OWNER/NAME" here for a model that can speak.
  model: "untrained",
  warmStart: { name: "examples", examples, steps: 250, batch: 16, learningRate: 0.005 },
  // Agents that learn by themselves, each with its own weights; "shared" lets all speak with the same.
  policies: "own",
  device: "wasm",
  workers: 2,
  train: {
    steps: 60,
    problemsPerStep: 16,
    episodesPerProblem: 8,
    minibatches: 1,
    groupBy: "prompt+agent",
    advantage: { estimator: "group", scale: "none" },
    // What a token costs; a `budget` finds this price by itself.
    prices: { tokens: 0.003 },
    // High, as the model is small; falling, so that it ends calmly.
    optimizer: { learningRate: { peak: 2e-3, warmUpSteps: 2, decay: "linear", finalFraction: 0.1 } },
    evaluation: { every: 30, problems: 100, transcripts: 4 },
  },
});
