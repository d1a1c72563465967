import { watchForDeadTraining } from "../dead-training.ts";
import type { Prices } from "@laconic/rewards";
import type { LoopState } from "../run/loop-state.ts";
import type { StepClock } from "../run/recorder.ts";
import type { LearnerResult } from "../stages/learner.ts";
import { policyPrefix, stepMetrics } from "../step-metrics.ts";
import { budgetWarning, stepWarnings } from "../warnings.ts";
import type { Collected, Collector } from "./collect.ts";
import type { Moved, ScoredStep } from "./step.ts";
import { samplingAt, type TrainingRun } from "./training-run.ts";

export interface DoneStep extends ScoredStep, Moved {
  readonly collected: Collected;
  readonly learners: readonly LearnerResult[];
  readonly prices: Prices;
}

/** Writes a step's warnings, record, metrics and dropped groups. */
export async function trace(
  run: TrainingRun,
  { state: moved, collected, scored, scoring, learners, prices, budgets }: DoneStep,
  clock: StepClock,
  { report, turn }: Pick<Collector, "report" | "turn">,
): Promise<LoopState> {
  const { recorder, config } = run;
  const { trees, scores, lags } = collected;
  const { step } = moved;
  for (const { learner, scored: own, gap } of learners)
    for (const warning of stepWarnings(learner.config, own, gap)) await recorder.warn(warning, step);
  const unkept = budgetWarning(config, scored);
  if (unkept !== null) await recorder.warn(unkept, step);
  const queue = report();
  const lag = lags.length === 0 ? 0 : lags;
  await recorder.record?.({
    step,
    ...(typeof config.sampling.temperature !== "number" && samplingAt(run, step - 1)),
    scored,
    trees,
    scoring,
    lag,
    learners,
    prices,
  });
  await turn();
  const metrics = stepMetrics({
    step,
    config,
    scored,
    scoring,
    learners,
    budgets,
    lags,
    queue,
    evaluations: trees && scores.length,
    tokenPrice: prices["tokens"] ?? 0,
    opponents: moved.opponents ?? null,
  });
  await recorder.step(metrics, clock);
  const replies = learners.flatMap(({ learner, batch }) => {
    const spoken = batch.utterances.filter(({ silent }) => !silent);
    const cut = spoken.filter(({ finishReason }) => finishReason === "length").length;
    return Object.entries({ spoken: spoken.length, cut }).map(
      ([name, count]) => [`${policyPrefix(learners, learner)}replies/${name}`, count] as const,
    );
  });
  const signs = moved.deadTraining ?? {};
  const watched = watchForDeadTraining(signs, { ...metrics, ...Object.fromEntries(replies) }, config);
  for (const warning of watched.warnings) await recorder.warn(warning, step);
  await turn();
  if (queue) await recorder.dropped(step, queue.dropped);
  return { ...moved, deadTraining: watched.signs, ...(queue && { queue: queue.state }) };
}
