import type { SettingsOf } from "../named/index.ts";
import type { TeamName } from "../text/teams/presets.ts";
import type { BudgetedTrainSettings, Preset } from "./preset.ts";

/** Thinking would use up short replies. */
const answerAtOnce: Readonly<Record<string, unknown>> = { enable_thinking: false };

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
 * AgentPO (ICLR 2026) as released: GRPO on a collaborator (`dapo`), frozen actor at temperature 0. Ours: GSM8K's
 * training split instead of 500 hard MATH problems; validations and early stopping, because the paper's figures fall
 * after 500 samples.
 */
const agentPo = (team: TeamName): Preset<SettingsOf<"benchmark">> => ({
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

/** Objective of the released code. */
export const agentPoHint: Preset<SettingsOf<"benchmark">> = agentPo("hint");

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
/** AgentPO's other pair: a comment on a draft. */
export const agentPoCritic: Preset<SettingsOf<"benchmark">> = agentPo("critic");
/** AgentPO's extension: debate with one trained collaborator. */
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
 * MAGRPO (AAAI-26): two policies answer concurrently for one reward; no ratio, clip or KL. Settings: version 1.0.0 of
 * its library, for TLDR. Ours: one epoch instead of two, gradients clipped at 1 (1e9: off), and posts of the data
 * folder instead of train[:1100].
 */
export const magrpo: Preset<SettingsOf<"writing">> = {
  task: { name: "writing", form: "tldr", replyTokens: 256 },
  model: "hub:Qwen/Qwen3-1.7B",
  chatTemplateArguments: answerAtOnce,
  policies: "own",
  train: {
    steps: 1100,
    problemsPerStep: 1,
    episodesPerProblem: 4,
    minibatches: 1,
    sampling: { temperature: 0.7, topP: 0.9 },
    objective: { name: "magrpo" },
    advantage: { estimator: "group", scale: "none" },
    groupBy: "tree-node",
    tree: { mode: "aligned", gamma: 0.9, stopAbove: null },
    optimizer: { learningRate: { peak: 5e-6, warmUpSteps: 0, decay: "constant", finalFraction: 1 } },
    evaluation: { every: 100, problems: 50, transcripts: 4 },
    checkpoint: { every: 100, keep: 2 },
  },
};

/**
 * MAGRPO in two turns on CoopHumanEval: helper and main function, with test results in between. Ours: instruct
 * checkpoint, sandbox grading by syntax tree, shares of 4.
 */
export const magrpoMultiturn: Preset<SettingsOf<"code">> = {
  task: { name: "code", benchmark: "coophumaneval", turns: 2, replyTokens: 256 },
  model: "hub:Qwen/Qwen2.5-Coder-3B-Instruct",
  chatTemplateArguments: answerAtOnce,
  policies: "own",
  train: {
    steps: 132,
    problemsPerStep: 4,
    episodesPerProblem: 4,
    minibatches: 1,
    sampling: { temperature: 0.6, topP: 0.6 },
    objective: { name: "magrpo" },
    advantage: { estimator: "group", scale: "none" },
    groupBy: "tree-node",
    tree: { mode: "aligned", gamma: 0.9, stopAbove: 0.95 },
    optimizer: { learningRate: { peak: 2e-5, warmUpSteps: 0, decay: "constant", finalFraction: 1 } },
    evaluation: { every: 22, problems: 16, transcripts: 4 },
    checkpoint: { every: 22, keep: 2 },
  },
};
