/**
 * Typed run file for the command line. Missing fields use the app's defaults.
 *
 *     npm run -s laconic -- train examples/relay.config.ts
 *     npm run -s laconic -- train examples/relay.config.ts train.steps=50 train.budget.targetTokens=20
 */
import type { RelayLevelName } from "@laconic/tasks";
import { agentGspoDefaults, type TrainConfig } from "@laconic/trainer";

interface RelayRun {
  readonly task: { readonly name: "relay"; readonly level: RelayLevelName };
  /** `shipped`, or a model folder. */
  readonly model: string;
  readonly workers: number;
  readonly train: TrainConfig;
}

const config: RelayRun = {
  task: { name: "relay", level: "one-fact" },
  model: "shipped",
  workers: 2,
  train: {
    ...agentGspoDefaults,
    steps: 60,
    oldLogProbs: "sampler", // the sampler runs the same kernels
    objective: { name: "gspo", clip: { low: 0.03, high: 0.04 } }, // wide enough for steps of 3e-4
    advantage: { estimator: "group", scale: "none" }, // division by the deviation (Eq. 2) would cancel the price
    budget: {
      targetTokens: 14, // per episode
      learningRate: 1e-5, // η of Eq. 5
      proportionalGain: 2e-4, // reacts at once; Eq. 5 only integrates
      maxPrice: 0.05,
    },
    optimizer: {
      ...agentGspoDefaults.optimizer,
      learningRate: { peak: 3e-4, warmUpSteps: 5, decay: "cosine", finalFraction: 0.1 },
    },
  },
};

export default config;
