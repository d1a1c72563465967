import { defineRun } from "@laconic/cli";
import task, { examples } from "./task.ts";

export default defineRun({
  task,
  // Untrained model that reads bytes; `examples` teach it to answer. "hub:OWNER/NAME" selects a language model.
  model: "untrained",
  warmStart: { name: "examples", examples, steps: 250, batch: 16, learningRate: 0.005 },
  // Each agent has separate weights; "shared" gives all the same.
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
    // Price of a token; a `budget` finds it automatically.
    prices: { tokens: 0.003 },
    // High for a small model; falls to end stably.
    optimizer: { learningRate: { peak: 2e-3, warmUpSteps: 2, decay: "linear", finalFraction: 0.1 } },
    evaluation: { every: 30, problems: 100, transcripts: 4 },
  },
});
