import { agentPoBenchmarks, publishedAccuracy, publishedTokens, type AgentPoFigure } from "../published.ts";
import type { Estimate } from "@laconic/core/numeric";
import type { Interval } from "../results/statistics.ts";
import type { MethodSummary } from "../results/summary.ts";
import { agentPoRowOf, rowOf } from "./ledger.ts";

/** Result of ours with the paper's. */
export interface ReproducedCell {
  readonly benchmark: string;
  readonly method: string;
  /** Tokens are a mean per question without interval. */
  readonly unit: "%" | "tokens a question";
  readonly ours: Estimate | null;
  readonly scored: number;
  readonly published: number;
  /** Two-sided p-value of equal figures; null for tokens and without a sample. */
  readonly p: number | null;
  /** `compatible` at 5 %, if played as published. */
  readonly verdict: "compatible" | "different" | "not as published" | "no test" | "not played";
  readonly differs: readonly string[];
}

/** P-value of two equal shares: the score test of two proportions. @returns 1 if both are 0 or both are 1 */
export function sameShare(a: number, n: number, b: number, m: number): number {
  const pooled = (a * n + b * m) / (n + m);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m));
  return error === 0 ? 1 : twoSided(Math.abs(a - b) / error);
}

/** Two-sided p-value of a normal deviate (Abramowitz and Stegun 7.1.26, error below 1.5e-7). */
function twoSided(z: number): number {
  const x = z / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return series * Math.exp(-x * x);
}

/** Compares a bench with Agent-GSPO's Table 1 or 2. @param questions - the paper's question count by benchmark */
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

/** Compares a bench with AgentPO's averages; needs all five benchmarks. @param actor - the paper's model name */
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

/** Repeats are not independent, so each question counts once. */
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

/** Each benchmark has the same weight. */
function meanShare(own: readonly MethodSummary[]): Interval {
  const shares = own.map(({ accuracy }) => accuracy?.value ?? 0);
  const value = shares.reduce((sum, each) => sum + each, 0) / own.length;
  const half = 1.96 * Math.sqrt(variance(own, askedOf));
  return { value, low: Math.max(0, value - half), high: Math.min(1, value + half) };
}

/** Moves shares of 0 and 1 inward by half a question. */
function variance(own: readonly MethodSummary[], of: (summary: MethodSummary) => number): number {
  const parts = own.map((summary) => {
    const asked = askedOf(summary);
    const share = ((summary.accuracy?.value ?? 0) * asked + 0.5) / (asked + 1);
    return (share * (1 - share)) / of(summary);
  });
  return parts.reduce((sum, part) => sum + part, 0) / own.length ** 2;
}

/** Assumes that the paper's unknown shares are equal to ours. */
function sameAverage(
  own: readonly MethodSummary[],
  published: number,
  questions: (benchmark: string) => number,
): number {
  const spread = variance(own, askedOf) + variance(own, ({ benchmark }) => questions(benchmark));
  return twoSided(Math.abs(meanShare(own).value - published) / Math.sqrt(spread));
}
