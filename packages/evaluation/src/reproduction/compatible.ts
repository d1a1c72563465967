import { agentPoBenchmarks, publishedAccuracy, publishedTokens, type AgentPoFigure } from "../published.ts";
import type { Estimate } from "@laconic/core/numeric";
import type { Interval } from "../results/statistics.ts";
import type { MethodSummary } from "../results/summary.ts";
import { agentPoRowOf, rowOf } from "./ledger.ts";

/** One cell of ours with the paper's. */
export interface ReproducedCell {
  readonly benchmark: string;
  readonly method: string;
  /** Of shares: a share and its interval. Of tokens: the mean of a question, without one. */
  readonly unit: "%" | "tokens a question";
  readonly ours: Estimate | null;
  readonly scored: number;
  readonly published: number;
  /** Two-sided, of equal figures on as many questions as each has; null without a sample, and of tokens, which come without a spread. */
  readonly p: number | null;
  /** `compatible` at 5 %; what is not played as published says so and is never called compatible. */
  readonly verdict: "compatible" | "different" | "not as published" | "no test" | "not played";
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
 * Results of a bench with the figures of Agent-GSPO's Table 1 or 2.
 * @param questions - of the paper, by benchmark: all of the benchmark's
 */
export function reproducedCells(
  summaries: readonly MethodSummary[],
  questions: (benchmark: string) => number,
  table: "1" | "2" = "1",
): ReproducedCell[] {
  return summaries.flatMap((summary): ReproducedCell[] => {
    const { benchmark, method, accuracy, scored, published: row, differs } = summary;
    const published = publishedAccuracy(rowOf(method), benchmark);
    if (published === null) return [];
    const cell = { benchmark, method, scored, differs };
    const p = accuracy ? sameShare(accuracy.value, askedOf(summary), published / 100, questions(benchmark)) : null;
    const verdict = verdictOf(p, scored, row !== null);
    const shares = { ...cell, unit: "%", ours: accuracy, published, p, verdict } as const;
    const tokens = table === "2" ? publishedTokens(rowOf(method), benchmark) : null;
    if (tokens === null) return [shares];
    const untested = { unit: "tokens a question", p: null, verdict: verdictOf(null, scored, row !== null) } as const;
    const mean = meanTokens([summary]);
    return [shares, { ...cell, ...untested, ours: mean, published: tokens.total / tokens.questions }];
  });
}

/**
 * Results of a bench with AgentPO's averages of its five benchmarks, and its tokens. A method needs all five.
 * @param actor - the paper's name of the model
 * @param questions - of each benchmark
 */
export function reproducedAverages(
  summaries: readonly MethodSummary[],
  actor: string,
  questions: (benchmark: string) => number,
): ReproducedCell[] {
  const methods = [...new Set(summaries.map(({ method }) => method))];
  return methods.flatMap((method): ReproducedCell[] => {
    const figure = agentPoRowOf(method, actor);
    const own = agentPoBenchmarks.flatMap(
      (name) => summaries.find((each) => each.method === method && each.benchmark === name && each.accuracy) ?? [],
    );
    if (figure === null) return [];
    return averagesOf(figure, own, questions).map((cell) => ({ ...cell, benchmark: "average of five", method }));
  });
}

function averagesOf(
  { average, tokens }: AgentPoFigure,
  own: readonly MethodSummary[],
  questions: (benchmark: string) => number,
): Omit<ReproducedCell, "benchmark" | "method">[] {
  const scored = own.reduce((sum, each) => sum + each.scored, 0);
  const differs = [...new Set(own.flatMap((each) => each.differs))];
  const faithful = own.every(({ published }) => published !== null);
  const whole = own.length === agentPoBenchmarks.length;
  const share = whole ? meanShare(own) : null;
  const p = average === undefined || share === null ? null : sameAverage(own, average / 100, questions);
  const count = whole ? scored : 0;
  const cell = (
    unit: ReproducedCell["unit"],
    ours: Estimate | null,
    published: number | undefined,
    chance: number | null,
  ) =>
    published === undefined
      ? []
      : [{ unit, ours, scored: count, published, p: chance, verdict: verdictOf(chance, count, faithful), differs }];
  return [...cell("%", share, average, p), ...cell("tokens a question", whole ? meanTokens(own) : null, tokens, null)];
}

/** Repeats of a question are not independent: each question counts once. */
function askedOf({ scored, questions }: MethodSummary): number {
  return Math.min(scored, questions);
}

function verdictOf(p: number | null, scored: number, faithful: boolean): ReproducedCell["verdict"] {
  if (scored === 0) return "not played";
  if (!faithful) return "not as published";
  if (p === null) return "no test";
  return p >= 0.05 ? "compatible" : "different";
}

function meanTokens(own: readonly MethodSummary[]): Estimate | null {
  const total = own.reduce((sum, each) => sum + each.promptTokens + each.completionTokens, 0);
  const scored = own.reduce((sum, each) => sum + each.scored, 0);
  const value = total / scored;
  return scored === 0 ? null : { value, low: null, high: null };
}

/** An average of shares counts each benchmark alike, whatever its size. */
function meanShare(own: readonly MethodSummary[]): Interval {
  const shares = own.map(({ accuracy }) => accuracy?.value ?? 0);
  const value = shares.reduce((sum, each) => sum + each, 0) / own.length;
  const half = 1.96 * Math.sqrt(variance(own, askedOf));
  return { value, low: Math.max(0, value - half), high: Math.min(1, value + half) };
}

/** Of an average of shares, each of so many questions. Shares of all or nothing are drawn in by half a question. */
function variance(own: readonly MethodSummary[], of: (summary: MethodSummary) => number): number {
  const parts = own.map((summary) => {
    const asked = askedOf(summary);
    const share = ((summary.accuracy?.value ?? 0) * asked + 0.5) / (asked + 1);
    return (share * (1 - share)) / of(summary);
  });
  return parts.reduce((sum, part) => sum + part, 0) / own.length ** 2;
}

/** Two averages as far apart as these, the paper's on all questions of each benchmark, with our shares for its unknown ones. */
function sameAverage(
  own: readonly MethodSummary[],
  published: number,
  questions: (benchmark: string) => number,
): number {
  const spread = variance(own, askedOf) + variance(own, ({ benchmark }) => questions(benchmark));
  return twoSided(Math.abs(meanShare(own).value - published) / Math.sqrt(spread));
}
