import { statisticMean } from "@laconic/core";
import { samplingCuts } from "@laconic/core/backends";
import { objectiveWarnings } from "@laconic/gspo/presets";
import { priceIndependence } from "@laconic/rewards";
import type { TrainConfig } from "./settings/config.ts";
import { importanceOf, isNamedBudget, isNamedEstimator, isNamedObjective, isNamedRate } from "./settings/named.ts";
import type { Learner } from "./spec/learning.ts";
import type { OldLogProbs } from "./stages/old-log-probs.ts";
import type { ScoredRollout } from "./stages/score.ts";

const withoutRatio: ReadonlySet<string> = new Set(["reinforce", "magrpo"]);

export function configWarnings({ config, objective: { name } }: Pick<Learner, "config" | "objective">): string[] {
  const { objective, optimizer, sampling } = config;
  const { peak, warmUpSteps } = isNamedRate(optimizer.learningRate)
    ? optimizer.learningRate
    : { peak: Infinity, warmUpSteps: 0 };
  const stepsPerBatch = config.epochs * config.minibatches;
  const warnings = isNamedObjective(objective) ? objectiveWarnings(objective.name, objective, peak) : [];
  if (stepsPerBatch * config.refreshOldPolicyEvery === 1 && !withoutRatio.has(name))
    warnings.push(
      "minibatches, epochs and refreshOldPolicyEvery are all 1: the policy equals the old one at every step, so ratios are 1 and clips have no effect",
    );
  const cuts = samplingCuts({ ...sampling, temperature: 1 });
  if (cuts.length > 0)
    warnings.push(
      `sampling: ${cuts.join(", ")} truncates the sampling distribution, but log-probs are of the full one; train without it`,
    );
  if (warmUpSteps >= config.steps * stepsPerBatch)
    warnings.push(
      `optimizer.learningRate.warmUpSteps: the run has ${config.steps * stepsPerBatch} optimizer steps, so ${warmUpSteps} steps of warm-up leave none at the peak`,
    );
  return warnings;
}

/** Largest gap between equal kernels in float32. */
const sameKernels = 1e-3;

/** Mean gap per token at which the likelihood of a 100-token reply can differ several-fold. */
const wideGap = 0.02;

/** Texts contain no numbers, so that each appears once. */
export function stepWarnings(config: TrainConfig, scored: readonly ScoredRollout[], gap: OldLogProbs["gap"]): string[] {
  const warnings: string[] = [];
  if (isPriceInert(config, scored))
    warnings.push(
      "in most groups with a signal only the token cost differs: with advantage.scale group the price of a token has no effect there (Eq. 2 cancels it); advantage.scale none restores it",
    );
  if (config.oldLogProbs === "sampler" && gap.max > sameKernels)
    warnings.push(
      "the sampler's log-probs differ from the trainer's (sampling/logp_difference_max): they come from other kernels; set oldLogProbs to recompute",
    );
  const isCorrected = config.asynchronous !== null || importanceOf(config) !== undefined; // stale samples are weighted
  if (config.oldLogProbs === "recompute" && !isCorrected && gap.count > 0 && statisticMean(gap) > wideGap)
    warnings.push(
      'the sampler\'s log-probs are far from the trainer\'s (sampling/logp_difference_mean), as with bfloat16: samples come from another policy than the trained one; set objective.importance to { kind: "truncate", level: "token", cap: 2 }',
    );
  if (scored.every(({ episode }) => episode.utterances.every(({ silent }) => silent)))
    warnings.push(
      "every turn of a step was silent, so speech cannot be learned again; use a lower price, or a budget with a guard",
    );
  return warnings;
}

/** Warns of a budget below the number of turns: an empty turn costs its end token. */
export function budgetWarning(
  { budget, costs, opponents }: Pick<TrainConfig, "budget" | "costs" | "opponents">,
  scored: readonly ScoredRollout[],
): string | null {
  if (!isNamedBudget(budget) || costs !== null || opponents) return null; // other costs can ignore some agents
  const turns = scored.map(({ episode }) => episode.ledger.calls.length);
  const fewest = turns.reduce((least, turn) => Math.min(least, turn), Infinity);
  return turns.length === 0 || budget.targetTokens >= fewest
    ? null
    : `budget.targetTokens: ${budget.targetTokens} tokens are fewer than the ${fewest} turns of an episode, and silence costs its end token: the budget is unreachable, and the price only rises`;
}

/** True if groups normalised by σ differ only in tokens: they teach brevity at full strength for any λ. */
function isPriceInert(config: TrainConfig, scored: readonly ScoredRollout[]): boolean {
  const { advantage } = config;
  if (!isNamedEstimator(advantage) || advantage.estimator !== "group" || advantage.scale !== "group") return false;
  const groups = scored.map(({ group }) => group);
  const terms = scored.map((rollout) => rollout.terms);
  return priceIndependence(terms, groups).dominates;
}
