import type { BenchmarkTaskSettings } from "../text/benchmark-task.ts";
import type { TeamName } from "../text/teams/presets.ts";
import { answerAtOnce, type Preset } from "./preset.ts";

/**
 * AgentPO (ICLR 2026): GRPO on a collaborator, the actor frozen at temperature 0. As its released code has it: 500 problems,
 * one epoch, 12 problems x 16 samples and 3 updates a step, temperature 1, clip 0.2/0.28 and a token mean (`dapo`), learning
 * rate 1e-6 with 10 steps of warm-up, weight decay 0.1, gradients clipped at 1, dual clip 10, no KL, no entropy; 768 tokens for the
 * collaborator, 2048 for the actor. Not as there: GSM8K's training split in place of 500 hard problems
 * of MATH (`task.file=problems.jsonl` takes those, with `task.benchmark=math500`); held-out evaluations and early stopping,
 * because the paper's own figures fall behind 500 samples.
 */
const agentPo = (team: TeamName): Preset<BenchmarkTaskSettings> => ({
  task: { name: "benchmark", benchmark: "gsm8k", team, replyTokens: 768, actorTokens: 2048 },
  model: "hub:Qwen/Qwen2.5-3B-Instruct",
  chatTemplateArguments: answerAtOnce,
  actor: { model: "hub:Qwen/Qwen2.5-7B-Instruct" },
  train: {
    steps: 42,
    problemsPerStep: 12,
    episodesPerProblem: 16,
    minibatches: 3,
    problemPool: 500,
    objective: { name: "dapo", dualClip: 10 },
    advantage: { estimator: "group", scale: "group" },
    optimizer: {
      weightDecay: 0.1,
      learningRate: { peak: 1e-6, warmUpSteps: 10, decay: "constant", finalFraction: 1 },
    },
    evaluation: { every: 7, problems: 200, transcripts: 4 },
    earlyStopping: { patience: 3, minGain: 0 },
    checkpoint: { every: 7, keep: 2 },
  },
});

/** The released code's objective; {@link agentPoHintPrinted} has the paper's. */
export const agentPoHint: Preset<BenchmarkTaskSettings> = agentPo("hint");

/**
 * The same pair with the objective that the paper prints, which is not what its code runs: GRPO with the mean over each sequence's
 * tokens, then over sequences, one clip width, and - beta KL in every token's term. The paper says neither epsilon nor beta: 0.2 is
 * PPO's; 0.04, and its estimator of the KL (k3), are of GRPO's own paper, DeepSeekMath. For its other teams: `task.team=critic`.
 */
export const agentPoHintPrinted: Preset<BenchmarkTaskSettings> = {
  ...agentPoHint,
  train: {
    ...agentPoHint.train,
    objective: {
      name: "grpo",
      clip: { low: 0.2, high: 0.2 },
      aggregation: "seq-mean-token-mean",
      kl: { estimator: "k3", coefficient: 0.04 },
    },
  },
};
/** The other pair: a comment on a draft. */
export const agentPoCritic: Preset<BenchmarkTaskSettings> = agentPo("critic");
/** The paper's extension: the debate and the role assignment that `bench` measures, with one collaborator that learns. */
export const agentPoDebate: Preset<BenchmarkTaskSettings> = agentPo("debate");
/** See {@link agentPoDebate}. */
export const agentPoRoles: Preset<BenchmarkTaskSettings> = agentPo("roles");

/** AgentPO's comparison: the actor itself learns, at as many samples. */
export const actorFinetune: Preset<BenchmarkTaskSettings> = {
  ...agentPo("solo"),
  task: { name: "benchmark", benchmark: "gsm8k", team: "solo", replyTokens: 2048 },
  model: "hub:Qwen/Qwen2.5-7B-Instruct",
  chatTemplateArguments: answerAtOnce,
  actor: null,
};
