import { meanOf } from "@laconic/core/numeric";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { ProbedFamily, ProbeFigures } from "@laconic/trainer/reading";
import { pairedDifference } from "@laconic/evaluation";
import type { Evaluation } from "@laconic/trainer";
import { differenceOf, type Difference, type Figure } from "../runs/compare-runs.ts";

/** Only graded episodes count for accuracy. */
export function figuresOf(episodes: readonly RecordedEpisode[]): ProbeFigures {
  const grades = episodes.map((episode) => gradeOf(episode)).filter((grade) => !Number.isNaN(grade));
  const calls = episodes.flatMap(({ episode }) => episode.ledger.calls);
  const tokens = calls.reduce((sum, { writtenTokens }) => sum + writtenTokens, 0);
  return { accuracy: meanOf(grades) ?? 0, tokens: tokens / Math.max(1, episodes.length) };
}

/** Skips pairs without both grades. */
export function pairedFamily(
  family: string,
  change: string,
  base: readonly RecordedEpisode[],
  probed: readonly RecordedEpisode[],
): ProbedFamily {
  const isGraded = (_: unknown, i: number): boolean =>
    !Number.isNaN(gradeOf(base[i])) && !Number.isNaN(gradeOf(probed[i]));
  const [before, after] = [base.filter(isGraded), probed.filter(isGraded)];
  const pairs = before.map((episode, i) => [gradeOf(episode), gradeOf(after[i])] as const);
  return {
    family,
    change,
    problems: pairs.length,
    isPaired: true,
    base: figuresOf(before),
    probed: figuresOf(after),
    fall: pairedDifference([pairs], "difference") ?? { value: 0, low: null, high: null },
  };
}

/** The base has other problems, so both intervals are independent. */
export function unpairedFamily(family: string, change: string, base: Evaluation, probed: Evaluation): ProbedFamily {
  const accuracyOf = ({ accuracy, interval }: Evaluation): Figure => ({ mean: accuracy, values: [accuracy], interval });
  const { value, low, high } = differenceOf(accuracyOf(probed), accuracyOf(base)) as Difference;
  return {
    family,
    change,
    problems: probed.problems,
    isPaired: false,
    base: { accuracy: base.accuracy, tokens: base.tokens },
    probed: { accuracy: probed.accuracy, tokens: probed.tokens },
    fall: { value, low, high },
  };
}

function gradeOf(recorded: RecordedEpisode | undefined): number {
  return recorded?.task ?? Number.NaN;
}
