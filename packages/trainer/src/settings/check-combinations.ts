import { refuseSetting } from "@laconic/core";
import type { GroupKey, RatioUnit } from "@laconic/gspo";
import type { TrainConfig } from "./config.ts";
import { importanceOf, isNamedEstimator, isNamedRate } from "./named.ts";

/** Ratio units whose messages have different advantages, by grouping key. */
const ratioUnitsThatMix: Partial<Record<GroupKey, readonly RatioUnit[]>> = {
  "prompt+agent": ["joint"],
  "prompt+agent+turn": ["trajectory", "joint"],
  "tree-node": ["trajectory", "joint"],
};

/**
 * Rejects incompatible or ineffective settings.
 * @param location - as in `parseTrainConfig`
 * @throws LaconicError `config_invalid` naming the key
 */
export function checkCombinations(config: TrainConfig, location: readonly string[]): void {
  const refuse = (key: string, reason: string): never => refuseSetting([...location, key].join("."), reason);
  const sequences = config.problemsPerStep * config.episodesPerProblem;
  if (config.minibatches > sequences) refuse("minibatches", `${config.minibatches} parts of ${sequences} episodes`);
  const { advantage } = config;
  if (config.episodesPerProblem === 1 && isNamedEstimator(advantage) && advantage.estimator !== "raw")
    refuse("episodesPerProblem", "a group of one has advantage 0; use at least 2, or advantage.estimator raw");
  for (const cost of [...(config.budget ? ["tokens"] : []), ...Object.keys(config.budgets)])
    if (Object.hasOwn(config.prices, cost))
      refuse(`prices.${cost}`, "has no effect with a budget, which sets this price; remove one");
  if (config.budget && Object.hasOwn(config.budgets, "tokens"))
    refuse("budgets.tokens", "is also set by budget; remove one");
  if (config.checkpoint.every % config.refreshOldPolicyEvery !== 0)
    refuse(
      "checkpoint.every",
      `must be a multiple of refreshOldPolicyEvery (${config.refreshOldPolicyEvery}): the old policy is not stored`,
    );
  const { learningRate } = config.optimizer;
  if (isNamedRate(learningRate)) {
    const { decay, finalFraction } = learningRate;
    if (decay === "constant" && finalFraction !== 1)
      refuse("optimizer.learningRate.finalFraction", "has no effect without a decay; set decay to linear or cosine");
    if (decay !== "constant" && finalFraction === 1)
      refuse("optimizer.learningRate.decay", `${decay} to the whole peak has no effect; set finalFraction below 1`);
  }
  const groupBy = typeof config.groupBy === "string" ? config.groupBy : "prompt+agent+turn";
  const mixed = typeof config.groupBy === "string" ? ratioUnitsThatMix[groupBy] : undefined;
  if (mixed?.includes(config.ratioUnit))
    refuse(
      "ratioUnit",
      `${config.ratioUnit} joins messages that groupBy ${groupBy} gives different advantages; use ${config.tree ? "ratioUnit message or turn" : "groupBy prompt"}`,
    );
  checkTrees(config, refuse);
  if (config.credit.kind !== "shared" && !groupBy.includes("agent"))
    refuse(
      "credit",
      `${config.credit.kind} gives agents different rewards; group by prompt+agent or prompt+agent+turn`,
    );
  if (config.credit.kind !== "shared" && isNamedEstimator(advantage) && advantage.estimator === "decoupled")
    refuse("credit", "decoupled advantages need whole episodes; use another estimator");
  checkAsynchronous(config, refuse);
  if (importanceOf(config) !== undefined) checkImportanceSource(config, refuse);
  if (config.earlyStopping && config.evaluation.every === 0)
    refuse("earlyStopping", "watches evaluations; set evaluation.every above 0");
}

type Refuse = (key: string, reason: string) => never;

function checkAsynchronous(config: TrainConfig, refuse: Refuse): void {
  const { asynchronous, problemsPerStep } = config;
  if (!asynchronous) return;
  const { activeGroups, maxLag } = asynchronous;
  if (config.refreshOldPolicyEvery > 1)
    refuse("asynchronous", "has its own old policies; leave refreshOldPolicyEvery at 1");
  if (config.oldLogProbs === "sampler")
    refuse("oldLogProbs", "the sampler has older weights in an asynchronous run; use recompute");
  const most = (maxLag + 1) * problemsPerStep;
  if ((activeGroups ?? 0) > most)
    refuse(
      "asynchronous.activeGroups",
      `is ${activeGroups}, but maxLag ${maxLag} allows ${most}: (maxLag + 1) * problemsPerStep; null takes problemsPerStep + 1`,
    );
}

/** Allows one correction for the sampler, and none if the ratio already corrects. */
function checkImportanceSource({ asynchronous, oldLogProbs }: TrainConfig, refuse: Refuse): void {
  if (asynchronous)
    refuse("objective.importance", "asynchronous.importanceCap already weighs older samples; remove one");
  if (oldLogProbs === "sampler")
    refuse("objective.importance", "with oldLogProbs sampler the ratio itself corrects; set oldLogProbs to recompute");
}

function checkTrees(config: TrainConfig, refuse: Refuse): void {
  if ((config.groupBy === "tree-node") !== (config.tree !== null))
    refuse("groupBy", "tree-node needs rollout trees: set it together with `tree`");
  if (!config.tree) return;
  const { advantage, credit } = config;
  if (!isNamedEstimator(advantage) || advantage.estimator !== "group" || advantage.scale !== "none")
    refuse("advantage", "a tree's advantage is the return less its siblings' mean: group with scale none");
  if (credit.kind !== "shared") refuse("credit", "a tree gives each reply its own return; use shared");
}
