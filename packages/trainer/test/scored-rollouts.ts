import type { Problem, Random } from "@laconic/core";
import type { TrainConfig } from "../src/settings/config.ts";
import { livePolicies, modelsOf, type TrainingParts } from "../src/spec/parts.ts";
import { rewardOf, scorer } from "../src/scorer.ts";
import { evaluationSampling } from "../src/evaluate.ts";
import { costsOf } from "../src/settings/named.ts";
import { pricingOf } from "../src/stages/learner.ts";
import type { SampledGroup } from "../src/stages/group-rollout.ts";
import { rollout } from "../src/stages/play-groups.ts";
import { score, type ScoredRollout } from "../src/stages/score.ts";

export function sampled(
  parts: TrainingParts,
  config: TrainConfig,
  problems: readonly Problem[],
  random: Random,
): Promise<SampledGroup> {
  const options = {
    score: scorer(rewardOf(parts.task), config.scoring),
    greedy: false,
    sampling: evaluationSampling(config),
  };
  return rollout(parts, config, options, problems, { models: modelsOf(parts, livePolicies(parts)), random });
}

export async function scoredRollouts(
  parts: TrainingParts,
  config: TrainConfig,
  problems: readonly Problem[],
  random: Random,
  tokenPrice = 0,
): Promise<ScoredRollout[]> {
  const pricing = pricingOf({ config, costs: costsOf(config) }, { ...config.prices, tokens: tokenPrice });
  return score((await sampled(parts, config, problems, random)).rollouts, pricing);
}
