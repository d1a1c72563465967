import { meanOf } from "@laconic/core/numeric";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { ProbedFamily, ProbeFigures } from "@laconic/trainer/reading";
import { pairedDifference } from "@laconic/evaluation";
import type { Evaluation } from "@laconic/trainer";
import { differenceOf, type Difference, type Figure } from "../runs/difference.ts";

/** Accuracy and tokens of episodes; those without a grade are left out of the accuracy. */
export function figuresOf(episodes: readonly RecordedEpisode[]): ProbeFigures {
  const grades = gradesOf(episodes);
  const tokens = episodes
    .flatMap(({ episode }) => episode.ledger.calls)
    .reduce((sum, { writtenTokens }) => sum + writtenTokens, 0);
  return { accuracy: meanOf(grades) ?? 0, tokens: tokens / Math.max(1, episodes.length) };
}

/** A family whose episodes stand beside those of the base by position; pairs without both grades are left out. */
export function pairedFamily(
  family: string,
  change: string,
  base: readonly RecordedEpisode[],
  probed: readonly RecordedEpisode[],
): ProbedFamily {
  const isGraded = (_: unknown, i: number): boolean =>
    !Number.isNaN(gradeOf(base[i])) && !Number.isNaN(gradeOf(probed[i]));
  const [before, after] = [base.filter(isGraded), probed.filter(isGraded)];
  const pairs = before.map((each, i) => [gradeOf(each), gradeOf(after[i])] as const);
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

/** A family of other problems than the base's: the intervals of the two sides are independent. */
export function unpairedFamily(family: string, change: string, base: Evaluation, probed: Evaluation): ProbedFamily {
  const figures = ({ accuracy, tokens }: Evaluation): ProbeFigures => ({ accuracy, tokens });
  const accuracyOf = ({ accuracy, interval }: Evaluation): Figure => ({ mean: accuracy, values: [accuracy], interval });
  const { value, low, high } = differenceOf(accuracyOf(probed), accuracyOf(base)) as Difference;
  return {
    family,
    change,
    problems: probed.problems,
    isPaired: false,
    base: figures(base),
    probed: figures(probed),
    fall: { value, low, high },
  };
}

function gradeOf(recorded: RecordedEpisode | undefined): number {
  return recorded?.task ?? Number.NaN;
}

function gradesOf(episodes: readonly RecordedEpisode[]): number[] {
  return episodes.map((each) => gradeOf(each)).filter((grade) => !Number.isNaN(grade));
}
