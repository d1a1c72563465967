import type { UnknownRecord } from "@laconic/core";
import type { SettingsOf } from "../named/index.ts";
import type { PromptSource } from "../text/benchmark-team.ts";
import type { TeamName } from "../text/teams/presets.ts";
import type { BudgetedTrainSettings, Preset } from "./preset.ts";

/** Thinking would use up short replies. */
const answerAtOnce: UnknownRecord = { enable_thinking: false };

/** PyTorch's default, which the released scripts leave. */
const torchBeta2 = 0.999;

/** CoMLRL's AdamW does not clip gradients. */
const comlrlOptimizer = { beta2: torchBeta2, maxGradNorm: null };

const constantRate = (peak: number) => ({ peak, warmUpSteps: 0, decay: "constant", finalFraction: 1 }) as const;

/**
 * Agent-GSPO on GSM8K with the paper's defaults: three holders with statements, one solver, a shared policy. Ours: the
 * star, the deal by seed, the checkpoint, a budget of 300 tokens.
 */
export const agentGspo: Preset<SettingsOf<"benchmark">, BudgetedTrainSettings> = {
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

/**
 * AgentPO (ICLR 2026) as released: GRPO on a collaborator (`dapo`), frozen actor at temperature 0, 41 whole batches of
 * 500 problems, ten steps of warm-up with three minibatches each. Ours: GSM8K's training split instead of 500 hard MATH
 * problems; validations and early stopping, because the paper's figures fall after 500 samples.
 */
const agentPo = (team: TeamName, prompts: PromptSource = "ours"): Preset<SettingsOf<"benchmark">> => ({
  task: { name: "benchmark", benchmark: "gsm8k", team, prompts, replyTokens: 768, actorTokens: 2048 },
  model: "hub:Qwen/Qwen2.5-3B-Instruct",
  chatTemplateArguments: answerAtOnce,
  actor: { model: "hub:Qwen/Qwen2.5-7B-Instruct" },
  train: {
    steps: 41,
    problemsPerStep: 12,
    episodesPerProblem: 16,
    minibatches: 3,
    problemPool: 500,
    objective: { name: "dapo", dualClip: 10 },
    advantage: { estimator: "group", scale: "group" },
    optimizer: { beta2: torchBeta2, weightDecay: 0.1, learningRate: { ...constantRate(1e-6), warmUpSteps: 30 } },
    evaluation: { every: 7, problems: 200, transcripts: 4 },
    earlyStopping: { patience: 3, minGain: 0 },
    checkpoint: { every: 7, keep: 2 },
  },
});

/** Objective and prompts of the released code. */
export const agentPoHint: Preset<SettingsOf<"benchmark">> = agentPo("hint", "published");

/**
 * The pair with the paper's objective: GRPO with a sequence mean, one clip width and beta KL. The paper omits epsilon
 * (0.2 is PPO's) and beta (0.04 with k3 is DeepSeekMath's).
 */
export const agentPoHintPrinted: Preset<SettingsOf<"benchmark">> = {
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
/** AgentPO's other pair: a comment on a draft, with the released prompts. */
export const agentPoCritic: Preset<SettingsOf<"benchmark">> = agentPo("critic", "published");
/** AgentPO's extension: debate with one trained collaborator. The released code has no such team, so the prompts are ours. */
export const agentPoDebate: Preset<SettingsOf<"benchmark">> = agentPo("debate");
/** See {@link agentPoDebate}. */
export const agentPoRoles: Preset<SettingsOf<"benchmark">> = agentPo("roles");

/** AgentPO's comparison: trains the actor with as many samples. */
export const actorFinetune: Preset<SettingsOf<"benchmark">> = {
  ...agentPo("solo"),
  task: { name: "benchmark", benchmark: "gsm8k", team: "solo", replyTokens: 2048 },
  model: "hub:Qwen/Qwen2.5-7B-Instruct",
  chatTemplateArguments: answerAtOnce,
  actor: null,
};

/**
 * MAGRPO (AAAI-26): two policies answer concurrently for one reward; no ratio, clip or KL. Settings: the released TLDR
 * configuration, which divides by the group's deviation; one turn needs no tree. Ours: posts of the data folder instead
 * of train[:1100].
 */
export const magrpo: Preset<SettingsOf<"writing">> = {
  task: { name: "writing", form: "tldr", replyTokens: 256 },
  model: "hub:Qwen/Qwen3-1.7B",
  chatTemplateArguments: answerAtOnce,
  policies: "own",
  train: {
    steps: 2200,
    problemsPerStep: 1,
    episodesPerProblem: 4,
    minibatches: 1,
    sampling: { temperature: 0.7, topP: 0.9 },
    objective: { name: "magrpo" },
    advantage: { estimator: "group", scale: "group", std: "population", epsilon: 1e-6, epsilonForm: "clamp" },
    optimizer: { ...comlrlOptimizer, weightDecay: 0.01, learningRate: constantRate(5e-6) },
    evaluation: { every: 100, problems: 50, transcripts: 4 },
    checkpoint: { every: 100, keep: 2 },
  },
};

/**
 * MAGRPO's programmers in one turn on HumanEval, as released: advantages without division, four problems per update.
 * Ours: float32 weights, sandbox grading by syntax tree, shares of 4.
 */
export const magrpoCode: Preset<SettingsOf<"code">> = {
  task: { name: "code", benchmark: "humaneval", turns: 1, replyTokens: 256 },
  model: "hub:Qwen/Qwen2.5-Coder-3B",
  policies: "own",
  train: {
    steps: 130,
    problemsPerStep: 4,
    episodesPerProblem: 4,
    minibatches: 1,
    sampling: { temperature: 0.7, topP: 0.9 },
    objective: { name: "magrpo" },
    advantage: { estimator: "group", scale: "none" },
    optimizer: { ...comlrlOptimizer, learningRate: constantRate(2e-5) },
    evaluation: { every: 26, problems: 32, transcripts: 4 },
    checkpoint: { every: 26, keep: 2 },
  },
};

/** The same in two turns on CoopHumanEval, with test results in between: one problem's tree per update. */
export const magrpoMultiturn: Preset<SettingsOf<"code">> = {
  ...magrpoCode,
  task: { name: "code", benchmark: "coophumaneval", turns: 2, replyTokens: 256 },
  train: {
    ...magrpoCode.train,
    steps: 528,
    problemsPerStep: 1,
    sampling: { temperature: 0.6, topP: 0.6 },
    groupBy: "tree-node",
    tree: { mode: "aligned", gamma: 0.9, stopAbove: 0.95 },
    evaluation: { every: 88, problems: 16, transcripts: 4 },
    checkpoint: { every: 88, keep: 2 },
  },
};
