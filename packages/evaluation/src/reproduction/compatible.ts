import type { MethodSummary } from "../summary.ts";
import { publishedAccuracy } from "../published.ts";
import { wilson, type Interval } from "../statistics.ts";
import { rowOf } from "./ledger.ts";

/** One cell of ours beside the paper's. */
export interface ReproducedCell {
  readonly benchmark: string;
  readonly method: string;
  readonly ours: Interval | null;
  readonly scored: number;
  /** In per cent. */
  readonly published: number;
  /** Two-sided, of equal shares on as many questions as each has; null without a sample. */
  readonly p: number | null;
  /** `compatible` at 5 %; what is not played as published says so and is never called compatible. */
  readonly verdict: "compatible" | "different" | "not as published" | "not played";
  readonly differs: readonly string[];
}

/**
 * The chance of two shares as far apart as these where both are of one coin: the score test of two proportions.
 * @returns 1 where both are all or nothing alike
 */
export function sameShare(a: number, n: number, b: number, m: number): number {
  const pooled = (a * n + b * m) / (n + m);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m));
  return error === 0 ? 1 : twoSided(Math.abs(a - b) / error);
}

/** Of a standard normal value, by Abramowitz and Stegun 7.1.26: right to 1.5e-7. */
function twoSided(z: number): number {
  const x = z / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return series * Math.exp(-x * x);
}

/**
 * What a bench came to beside the published figures.
 * @param questions - of the paper, by benchmark: all of the benchmark's
 */
export function reproducedCells(
  summaries: readonly MethodSummary[],
  questions: (benchmark: string) => number,
): ReproducedCell[] {
  return summaries.flatMap(({ benchmark, method, accuracy, scored, published: row, differs }): ReproducedCell[] => {
    const published = publishedAccuracy(rowOf(method), benchmark);
    if (published === null) return [];
    const p = accuracy ? sameShare(accuracy.value, scored, published / 100, questions(benchmark)) : null;
    const faithful = row !== null;
    const verdict =
      p === null ? "not played" : faithful ? (p >= 0.05 ? "compatible" : "different") : "not as published";
    return [
      {
        benchmark,
        method,
        ours: accuracy && wilson(Math.round(accuracy.value * scored), scored),
        scored,
        published,
        p,
        verdict,
        differs,
      },
    ];
  });
}
