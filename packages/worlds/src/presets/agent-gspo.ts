import type { BenchmarkTaskSettings } from "../text/benchmark-task.ts";
import { answerAtOnce, type BudgetedTrainSettings, type Preset } from "./preset.ts";

/**
 * Agent-GSPO on GSM8K: what a problem states is dealt to three holders, a solver answers, all speak with one policy. Eq. 1-5
 * with the trainer's defaults, which are the paper's where it names any. The paper does not say: its teams, how information is
 * split, G, prices, budget, learning rate, steps; nor can the closed model of its experiments be trained. Ours: this star, the
 * deal of clauses by seed, a small open checkpoint, a budget of 300 tokens for the team's words.
 */
export const agentGspo: Preset<BenchmarkTaskSettings, BudgetedTrainSettings> = {
  task: { name: "benchmark", benchmark: "gsm8k", team: "star", agents: 3, replyTokens: 128, actorTokens: 512 },
  model: "hub:Qwen/Qwen2.5-0.5B-Instruct",
  chatTemplateArguments: answerAtOnce,
  train: {
    steps: 200,
    budget: {
      targetTokens: 300,
      learningRate: 1e-6,
      maxPrice: 0.01,
      warmupIterations: 10,
      guard: { action: "freeze", rewardTolerance: 0.05, maxSilenceRate: 0.6 },
    },
  },
};
