import { grouped, logGamma, meanOf, type Estimate } from "@laconic/core/numeric";
import type { PairRecord } from "../pairs/run-pairs.ts";
import { agentPoBenchmarks, type Claim } from "../published.ts";
import { clusteredWilson, meanEstimate } from "../results/statistics.ts";
import type { SampleRecord } from "../sample-record.ts";
import { average } from "./ledger.ts";
import { askedOf, type LedgerRow } from "./played-on.ts";

/** Result of ours with the paper's, for a row or one statement about it. */
export interface ReproducedCell extends Pick<LedgerRow, "benchmark" | "row" | "takenBy" | "open" | "differs"> {
  readonly method: string;
  /** Such as `accuracy` (0 to 1) or `tokens, ratio to evoagent`. */
  readonly quantity: string;
  /** Interval over seeds if there are several runs. */
  readonly ours: Estimate | null;
  readonly runs: number;
  /** Questions with a score; a question counts once. */
  readonly scored: number;
  /** As printed. */
  readonly published: string;
  /** Two-sided p-value of equal shares; null for statements, and without enough questions. */
  readonly p: number | null;
  /** At 5 %, for the setting that `differs` describes. */
  readonly verdict: "compatible" | "different" | "too few questions" | "not played" | "cannot be compared";
  /** Why there is no test; null with one. */
  readonly reason: string | null;
}

/** Quantities of one sample of a method, by name. */
export interface Observation extends Pick<SampleRecord, "method" | "benchmark" | "problem"> {
  readonly quantities: Readonly<Record<string, number>>;
}

/** Scored samples with accuracy, and prompt and completion tokens. */
export function questionObservations(records: Iterable<SampleRecord>): Observation[] {
  return [...records]
    .filter(({ status }) => status === "scored")
    .map(({ method, benchmark, problem, correct, promptTokens, completionTokens }) => ({
      method,
      benchmark,
      problem,
      quantities: { accuracy: correct === true ? 1 : 0, tokens: promptTokens + completionTokens },
    }));
}

/** Scored samples of teams on tasks: `score`, `seconds` of the critical path, and the reward's measures. */
export function pairObservations(records: Iterable<PairRecord>): Observation[] {
  return [...records].flatMap(({ status, score, method, task, problem, criticalSeconds, measures }) => {
    if (status !== "scored") return [];
    const seconds = criticalSeconds === null ? {} : { seconds: criticalSeconds };
    const quantities = { ...measures, ...seconds, score: score ?? 0 };
    return [{ method, benchmark: task.split("/")[1] ?? task, problem, quantities }];
  });
}

/** Method of the nth run of a row, from 1; runs of a row are seeds. */
export function seedMethod(row: string, nth: number): string {
  return nth === 1 ? row : `${row}-seed-${nth}`;
}

/** Row of a method, see {@link seedMethod}. */
export function rowOfMethod(method: string): string {
  return method.replace(/-seed-\d+$/u, "");
}

/** Min expected right and wrong answers on either side: Cochran's rule for the score test. */
const minExpected = 5;
const minQuestions = 20;

/**
 * Compares each row with our samples.
 * @param departures - of our samples from the row's published setting
 */
export function reproducedCells(
  rows: readonly LedgerRow[],
  observations: readonly Observation[],
  departures: (row: LedgerRow) => readonly string[],
): ReproducedCell[] {
  return rows.flatMap((row): ReproducedCell[] => {
    const { benchmark, method, figure: published, comparison, takenBy, open } = row;
    const cell = {
      benchmark,
      row: row.row,
      method: method ?? "none",
      published,
      takenBy,
      open,
      differs: departures(row),
    };
    if (comparison.kind === "none")
      return [{ ...cell, ...absent, quantity: "none", verdict: "cannot be compared", reason: comparison.reason }];
    const names = boardsOf(benchmark);
    if (comparison.kind === "share")
      return [{ ...cell, quantity: "accuracy", ...shareResult(row, names, comparison.percent / 100, observations) }];
    return comparison.claims.flatMap((claim) => {
      const { quantity, than, as } = claim;
      const title = than === undefined ? quantity : `${quantity}, ${as} to ${than}`;
      const boards = claim.each ? names.map((name) => [name]) : [names];
      return boards.map((board) => ({
        ...cell,
        benchmark: claim.each ? (board[0] ?? benchmark) : benchmark,
        quantity: title,
        ...claimResult(row, board, claim, observations),
      }));
    });
  });
}

type Result = Pick<ReproducedCell, "ours" | "runs" | "scored" | "p" | "verdict" | "reason">;

const absent: Result = {
  ours: null,
  runs: 0,
  scored: 0,
  p: null,
  verdict: "not played",
  reason: "No sample has a score.",
};

/** Benchmarks of a row: several of an average and of a list. */
export function boardsOf(benchmark: string): readonly string[] {
  return benchmark === average ? agentPoBenchmarks : benchmark.split(", ");
}

/** Values of each run by question; repeats are averaged, since they are not independent. */
function runsOf(
  all: readonly Observation[],
  row: string,
  benchmark: string,
  quantity: string,
): ReadonlyMap<string, number>[] {
  const observations = all.filter(
    (observation) => rowOfMethod(observation.method) === row && observation.benchmark === benchmark,
  );
  return grouped(observations, ({ method }) => method).map(
    (samples) =>
      new Map(
        grouped(samples, ({ problem }) => problem).flatMap((same) => {
          const mean = meanOf(same.flatMap(({ quantities }) => quantities[quantity] ?? []));
          return mean === null ? [] : [[`${benchmark}/${same[0].problem}`, mean] as const];
        }),
      ),
  );
}

interface Board {
  /** Values of the questions, by run. */
  readonly runs: readonly (readonly number[])[];
  readonly share: number;
  readonly asked: number;
  /** Questions of the published share. */
  readonly theirs: number;
}

function shareResult(
  { method }: LedgerRow,
  names: readonly string[],
  published: number,
  all: readonly Observation[],
): Result {
  const boards = names.map((name): Board => {
    const runs = runsOf(all, method ?? "", name, "accuracy").map((values) => [...values.values()]);
    return {
      runs,
      share: meanOf(runs.flatMap((values) => meanOf(values) ?? [])) ?? 0,
      asked: Math.min(...runs.map(({ length }) => length)),
      theirs: askedOf(name).n ?? 1,
    };
  });
  const runs = Math.min(...boards.map((board) => board.runs.length));
  if (runs === 0) return absent;
  const share = meanOf(boards.map((board) => board.share)) ?? 0;
  const scored = boards.reduce((sum, { asked }) => sum + asked, 0);
  const ours = shareEstimate(boards, share, runs);
  const theirs = boards.reduce((sum, board) => sum + board.theirs, 0);
  const pooled = (share * scored + published * theirs) / (scored + theirs);
  const rarer = Math.min(pooled, 1 - pooled);
  const isEnough = rarer * Math.min(scored, theirs) >= minExpected;
  if (!isEnough && (boards.length > 1 || scored < theirs)) {
    const needed = Math.min(theirs, Math.ceil(minExpected / Math.max(rarer, 1e-9)));
    const reason = `Fewer than ${minExpected} right or wrong answers are expected of ${scored} questions: ask at least ${needed}.`;
    return { ours, runs, scored, p: null, verdict: "too few questions", reason };
  }
  const p = shareChance(boards, share, published, isEnough);
  return { ours, runs, scored, p, verdict: p >= 0.05 ? "compatible" : "different", reason: null };
}

/** Our share: over seeds, of one benchmark (Wilson), or of an average (normal). */
function shareEstimate(boards: readonly Board[], share: number, runs: number): Estimate | null {
  const [single] = boards.length === 1 ? boards : [];
  if (runs > 1) {
    const averageOf = (run: number) => meanOf(boards.map((board) => meanOf(board.runs[run] ?? []) ?? 0)) ?? 0;
    const seeds = Array.from({ length: runs }, (_, i) => (single ? (single.runs[i] ?? []) : [averageOf(i)]));
    return meanEstimate(seeds, "share");
  }
  if (single) return clusteredWilson((single.runs[0] ?? []).map((successes) => ({ successes, trials: 1 })));
  const half = 1.96 * Math.sqrt(variance(boards, "asked"));
  return { value: share, low: Math.max(0, share - half), high: Math.min(1, share + half) };
}

/** P-value of equal shares. @param isEnough - whether the score test applies to one benchmark */
function shareChance(boards: readonly Board[], share: number, published: number, isEnough: boolean): number {
  const [single] = boards.length === 1 ? boards : [];
  if (!single) {
    const spread = Math.sqrt(variance(boards, "asked") + variance(boards, "theirs"));
    return twoSided(Math.abs(share - published) / spread);
  }
  const { asked, theirs } = single;
  if (isEnough) return sameShare(share, asked, published, theirs);
  return sameShareExactly(Math.round(share * asked), asked, Math.round(published * theirs), theirs);
}

/** Variance of an average; shares of 0 and 1 move inward by half a question. Unknown shares are assumed equal to ours. */
function variance(boards: readonly Board[], of: "asked" | "theirs"): number {
  const terms = boards.map((board) => {
    const inward = (board.share * board.asked + 0.5) / (board.asked + 1);
    return (inward * (1 - inward)) / board[of];
  });
  return terms.reduce((sum, term) => sum + term, 0) / boards.length ** 2;
}

/** Our 95 % interval has to allow the statement. A ratio a / b is at least r if the mean of a - r b can be positive (Fieller). */
function claimResult(
  { method }: LedgerRow,
  names: readonly string[],
  { quantity, than, as, low, high, occurs }: Claim,
  all: readonly Observation[],
): Result {
  const boards = names.map((name) => runsOf(all, method ?? "", name, quantity)).filter(({ length }) => length > 0);
  const other = new Map(names.flatMap((name) => merged(than === undefined ? [] : runsOf(all, than, name, quantity))));
  const isWhole = occurs === true ? boards.length > 0 : boards.length === names.length;
  if (!isWhole) return absent;
  if (than !== undefined && other.size === 0)
    return { ...absent, reason: `No sample of ${than} has a score: play it too.` };
  const runs = Math.min(...boards.map(({ length }) => length));
  const shared = boards.map((board) =>
    board.map((values) => [...values].filter(([problem]) => than === undefined || other.has(problem))),
  );
  const scored = shared.reduce((sum, board) => sum + Math.min(...board.map(({ length }) => length)), 0);
  // An average of benchmarks weighs each of them equally; tokens are those of a problem.
  const weight = (count: number) => (quantity === "tokens" ? 1 : scored / (boards.length * count));
  const estimate = (factor: number): Estimate | null =>
    meanEstimate(
      Array.from({ length: runs }, (_, i) =>
        shared.flatMap((board) =>
          (board[i] ?? []).map(
            ([problem, value], __, { length }) => weight(length) * (value - factor * (other.get(problem) ?? 0)),
          ),
        ),
      ),
      quantity === "tokens" || quantity === "seconds" ? "amount" : "difference",
    );
  const level = estimate(0);
  const difference = estimate(1);
  const theirs = (level?.value ?? 0) - (difference?.value ?? 0);
  const ratio = { value: (level?.value ?? 0) / theirs, low: null, high: null };
  const ours = than === undefined ? level : as === "ratio" ? ratio : difference;
  const result = { ours, runs, scored, p: null };
  if (occurs) {
    const verdict = (level?.value ?? 0) > 0 ? "compatible" : "different";
    return { ...result, verdict, reason: null };
  }
  if (scored < minQuestions) {
    const reason = `An interval needs at least ${minQuestions} common questions, here ${scored}.`;
    return { ...result, verdict: "too few questions", reason };
  }
  const boundOf = (bound: number): Estimate => {
    const none = { value: 0, low: 0, high: 0 };
    const match = (as === "ratio" ? estimate(bound) : than === undefined ? level : difference) ?? none;
    const shift = as === "ratio" ? 0 : bound;
    return { value: 0, low: (match.low ?? match.value) - shift, high: (match.high ?? match.value) - shift };
  };
  const isHigh = low === undefined || (boundOf(low).high ?? 0) >= 0;
  const isLow = high === undefined || (boundOf(high).low ?? 0) <= 0;
  return { ...result, verdict: isHigh && isLow ? "compatible" : "different", reason: null };
}

function merged(runs: readonly ReadonlyMap<string, number>[]): (readonly [problem: string, mean: number])[] {
  return grouped(
    runs.flatMap((run) => [...run]),
    ([problem]) => problem,
  ).map((same) => [same[0][0], meanOf(same.map(([, value]) => value)) ?? 0] as const);
}

/** P-value of two equal shares: the score test of two proportions. @returns 1 if both are 0 or both are 1 */
export function sameShare(a: number, n: number, b: number, m: number): number {
  const pooled = (a * n + b * m) / (n + m);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m));
  return error === 0 ? 1 : twoSided(Math.abs(a - b) / error);
}

/** P-value of two equal shares: Fisher's exact test, two-sided. @param a - right answers of n questions; b of m */
export function sameShareExactly(a: number, n: number, b: number, m: number): number {
  const choose = (of: number, k: number) => logGamma(of + 1) - logGamma(k + 1) - logGamma(of - k + 1);
  const logChance = (k: number) => choose(n, k) + choose(m, a + b - k) - choose(n + m, a + b);
  const all = Array.from({ length: n + 1 }, (_, k) => k).filter((k) => a + b - k >= 0 && a + b - k <= m);
  const chances = all.map(logChance).filter((chance) => chance <= logChance(a) + 1e-7);
  return Math.min(
    1,
    chances.reduce((sum, chance) => sum + Math.exp(chance), 0),
  );
}

/** Two-sided p-value of a normal deviate (Abramowitz and Stegun 7.1.26, error below 1.5e-7). */
function twoSided(z: number): number {
  const x = z / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return series * Math.exp(-x * x);
}
