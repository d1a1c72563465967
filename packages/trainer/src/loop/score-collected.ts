import type { Prices, ScoreCounts } from "@laconic/rewards";
import type { LoopState } from "../run/checkpoint.ts";
import { pricingOf, type Learner } from "../stages/learner.ts";
import { scoreInTurns, type ScoredRollout } from "../stages/score.ts";
import { scoringFailure, scoringReport } from "../stages/scoring-failure.ts";
import type { Collected, Collector } from "./collect.ts";
import { checkpointOnFailure } from "./save.ts";
import type { TrainingRun } from "./training-run.ts";

/** A step's episodes with their rewards. */
export interface ScoredStep {
  readonly scored: readonly ScoredRollout[];
  /** Episodes by what became of their scores. */
  readonly scoring: ScoreCounts;
}

/**
 * Line 6: rewards by Eq. 1.
 * @throws LaconicError `scoring_failed` when too few samples got a score; what was learned is saved before
 */
export async function scoreCollected(
  run: TrainingRun,
  state: LoopState,
  { rollouts, scores }: Collected,
  prices: Prices,
  { turn }: Pick<Collector, "turn">,
): Promise<ScoredStep> {
  const { config, recorder, learners } = run;
  const report = scoringReport(scores);
  await checkpointOnFailure(run, state, async () => {
    const failure = scoringFailure(report, config.scoring, `step ${state.step + 1}`);
    if (failure) throw failure;
  });
  if (report.reason !== null)
    await recorder.warn(
      "some samples got no score and teach nothing (scoring/undecided, scoring/invalid, scoring/error)",
    );
  const [{ costs }] = learners as [Learner];
  const scored = await scoreInTurns(rollouts, pricingOf({ config, costs }, prices), turn);
  return { scored, scoring: report.counts };
}
