import type { Problem, Random } from "@laconic/core";
import type { TrainConfig } from "../src/settings/config.ts";
import { livePolicies, modelsOf, type TrainingParts } from "../src/spec/parts.ts";
import { rewardOf, scorer } from "../src/scorer.ts";
import { evaluationSampling } from "../src/evaluate.ts";
import { costsOf } from "../src/settings/named.ts";
import { pricingOf } from "../src/stages/learner.ts";
import { rollout } from "../src/stages/play-groups.ts";
import type { Rollout } from "../src/rollout.ts";
import { score, type ScoredRollout } from "../src/stages/score.ts";

/** Episodes of a step, as the loop plays them. */
export async function rollouts(
  parts: TrainingParts,
  config: TrainConfig,
  problems: readonly Problem[],
  random: Random,
): Promise<readonly Rollout[]> {
  const options = {
    score: scorer(rewardOf(parts.task), config.scoring),
    greedy: false,
    sampling: evaluationSampling(config),
  };
  return (await rollout(parts, config, options, problems, { models: modelsOf(parts, livePolicies(parts)), random }))
    .rollouts;
}

/** The same with rewards. */
export async function scoredRollouts(
  parts: TrainingParts,
  config: TrainConfig,
  problems: readonly Problem[],
  random: Random,
  tokenPrice = 0,
): Promise<ScoredRollout[]> {
  const pricing = pricingOf({ config, costs: costsOf(config) }, { ...config.prices, tokens: tokenPrice });
  return score(await rollouts(parts, config, problems, random), pricing);
}
