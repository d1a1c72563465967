import { mapValues } from "@laconic/core";
import type { Evaluation, Measured } from "../evaluate.ts";
import { prefixed, type Metrics } from "../step-metrics.ts";

/**
 * Flattens a result under `validation/`: accuracy with interval, tokens, silence, measures, language, unscored samples,
 * win rates, and the same by group.
 */
export function validationMetrics(evaluation: Evaluation): Metrics {
  const { silence, groups = {}, scoring, opponents = {} } = evaluation;
  if (evaluation.problems === 0) return {};
  const unscored = scoring ? scoring.undecided + scoring.invalid + scoring.error : 0;
  return {
    ...measuredMetrics("validation/", evaluation),
    ...prefixed("validation/silence/", silence),
    ...(scoring && { "validation/unscored": unscored }),
    ...prefixed(
      "validation/win_rate/",
      mapValues(opponents, ({ winRate }) => winRate),
    ),
    ...Object.assign(
      {},
      ...Object.entries(groups).map(([group, measured]) => measuredMetrics(`validation/group/${group}/`, measured)),
    ),
  };
}

function measuredMetrics(location: string, measured: Measured): Metrics {
  const { problems, accuracy, interval, tokens, measures = {}, language = {} } = measured;
  return {
    ...prefixed(location, {
      accuracy,
      ...(interval && { accuracy_low: interval[0], accuracy_high: interval[1] }),
      tokens,
      problems,
    }),
    ...prefixed(`${location}measure/`, measures),
    ...Object.assign(
      {},
      ...Object.entries(language).map(([agent, item]) => prefixed(`${location}language/${agent}/`, { ...item })),
    ),
  };
}
