import type { Prices } from "@laconic/rewards";
import type { Samplers } from "../parts.ts";
import type { LoopState } from "../run/checkpoint.ts";
import type { StepClock } from "../run/recorder.ts";
import { learn, type LearnerResult } from "../stages/learner.ts";
import type { ScoredRollout } from "../stages/score.ts";
import type { Collected, Collector } from "./collect.ts";
import type { TrainingRun } from "./training-run.ts";

/** What a step learns from. */
export interface LearningStep extends Pick<Collected, "trees" | "lags"> {
  readonly scored: readonly ScoredRollout[];
  /** λ of the team's costs. */
  readonly prices: Prices;
  readonly oldPolicies: Samplers;
}

/** Lines 7-10, each policy on its own: advantages by Eq. 2; ratios and objective by Eq. 3-4. */
export async function learnAll(
  { learners, references, random }: TrainingRun,
  { step, policyBudgets, estimators }: LoopState,
  { scored, prices, trees, lags, oldPolicies }: LearningStep,
  clock: StepClock,
  { turn }: Pick<Collector, "turn">,
): Promise<LearnerResult[]> {
  const stream = random.split(`step:${step}`);
  const results: LearnerResult[] = [];
  for (const learner of learners) {
    const { name } = learner;
    results.push(
      await learn(learner, {
        scored,
        trees,
        step,
        turn,
        teamPrices: prices,
        lag: Math.max(0, ...lags),
        budget: policyBudgets[name] ?? null,
        estimatorState: estimators[name],
        oldPolicy: oldPolicies[name] ?? learner.policy.model,
        reference: references[name] ?? null,
        random: stream.split(learners.length === 1 ? "minibatches" : `minibatches/${name}`),
        lap: (phase) => clock.lap(phase),
      }),
    );
  }
  return results;
}
