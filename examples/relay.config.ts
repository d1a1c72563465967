/**
 * A run of the command line as a typed file. What it leaves out is the app's default.
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
  /** Threads that share each batch. */
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
    oldLogProbs: "sampler", // sampler and trainer run the same kernels
    objective: { name: "gspo", clip: { low: 0.03, high: 0.04 } }, // as wide as steps of 3e-4 need
    advantage: { estimator: "group", scale: "none" }, // Eq. 2 divides the price of a token away
    budget: {
      targetTokens: 14, // per episode
      learningRate: 1e-5, // η of Eq. 5
      proportionalGain: 2e-4, // answers at once, where Eq. 5 only adds up
      maxPrice: 0.05,
    },
    optimizer: {
      ...agentGspoDefaults.optimizer,
      learningRate: { peak: 3e-4, warmUpSteps: 5, decay: "cosine", finalFraction: 0.1 },
    },
  },
};

export default config;
