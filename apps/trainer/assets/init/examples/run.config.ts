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
    steps: 20,
    problemsPerStep: 8,
    episodesPerProblem: 8,
    groupBy: "prompt+agent",
    advantage: { estimator: "group", scale: "none" },
    // What a token costs; a `budget` finds this price by itself.
    prices: { tokens: 0.003 },
    // Examples go on beside the rewards, so that what they taught stays.
    supervised: { examples, batch: 4 },
    optimizer: { learningRate: { peak: 3e-4, warmUpSteps: 2 } },
    evaluation: { every: 10, problems: 100, transcripts: 4 },
  },
});
