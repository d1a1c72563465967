import { inputError } from "@laconic/core";
import { grouped, meanOf } from "@laconic/core/numeric";
import { formatShare } from "@laconic/core/text";
import type { SampleRecord } from "../sample-record.ts";
import { wilson } from "./statistics.ts";
import { tableOf, type Column, type Table } from "./table.ts";

/** Results of a method's repeats by reducer. */
export interface RepeatSummary {
  readonly benchmark: string;
  readonly method: string;
  readonly questions: number;
  /** Lowest number of samples per question. */
  readonly repeats: number;
  readonly mean: number;
  /** Share of questions with a right most frequent answer; ties go to the first. */
  readonly majority: number;
  /** Unbiased pass@k; k is a power of two or `repeats`. */
  readonly passAt: Readonly<Record<number, number>>;
}

/** Summarises methods with repeats of every question. */
export function summariseRepeats(records: Iterable<SampleRecord>): RepeatSummary[] {
  const scored = [...records].filter(({ status }) => status === "scored");
  return grouped(scored, ({ benchmark, method, setting }) => [benchmark, method, setting]).flatMap((all) => {
    const [{ benchmark, method }] = all;
    const samples = grouped(all, ({ problem }) => problem).map((group) =>
      group.toSorted((a, b) => a.repeat - b.repeat),
    );
    const repeats = Math.min(...samples.map(({ length }) => length));
    if (repeats < 2) return [];
    const counts = samples.map((sample) => ({ n: sample.length, c: sample.filter(isRight).length }));
    return [
      {
        benchmark,
        method,
        questions: samples.length,
        repeats,
        mean: meanOf(counts.map(({ n, c }) => c / n)) ?? 0,
        majority: meanOf(samples.map((sample) => Number(mostFrequentIsRight(sample)))) ?? 0,
        passAt: Object.fromEntries(sizesTo(repeats).map((k) => [k, meanPassAtK(counts, k)!])),
      },
    ];
  });
}

function isRight({ correct }: SampleRecord): boolean {
  return correct === true;
}

function sizesTo(repeats: number): number[] {
  const powers = Array.from({ length: Math.floor(Math.log2(repeats)) + 1 }, (_, i) => 2 ** i);
  return [...new Set([...powers, repeats])];
}

/** Right answers count as one, wrong ones by text. Missing answers do not vote. */
function mostFrequentIsRight(samples: readonly SampleRecord[]): boolean {
  const votes = samples.map((sample) => isRight(sample) || sample.extracted).filter((answer) => answer !== null);
  const [first] = grouped(votes, (answer) => answer).toSorted((a, b) => b.length - a.length);
  return first?.[0] === true;
}

/** Table of reducers over repeats; null without repeats. */
export function repeatTable(records: Iterable<SampleRecord>, titleOf: (method: string) => string): Table | null {
  const summaries = summariseRepeats(records);
  if (summaries.length === 0) return null;
  const sizes = [...new Set(summaries.flatMap(({ passAt }) => Object.keys(passAt).map(Number)))].toSorted(
    (a, b) => a - b,
  );
  const percent = (share: number | undefined) => (share === undefined ? "" : formatShare(share));
  const interval = ({ majority, questions }: RepeatSummary) => wilson(Math.round(majority * questions), questions);
  return tableOf("By question over repeats, %", summaries, [
    ["benchmark", ({ benchmark }) => benchmark],
    ["method", ({ method }) => titleOf(method)],
    ["questions", ({ questions }) => String(questions)],
    ["repeats", ({ repeats }) => String(repeats)],
    ["mean", ({ mean }) => percent(mean)],
    ["majority", ({ majority }) => percent(majority)],
    ["majority, from", (row) => percent(interval(row)?.low)],
    ["to", (row) => percent(interval(row)?.high)],
    ...sizes.map((k): Column<RepeatSummary> => [`pass@${k}`, ({ passAt }) => percent(passAt[k])]),
  ]);
}

/**
 * Unbiased pass@k of one problem (Chen et al. 2021, Eq. 1).
 * @param n - samples
 * @param c - correct samples
 * @throws LaconicError `input_invalid` unless 0 <= c <= n and 1 <= k <= n
 */
export function passAtK(n: number, c: number, k: number): number {
  if (![n, c, k].every((value) => Number.isInteger(value)) || c < 0 || c > n || k < 1 || k > n)
    throw inputError(`pass@${k} of ${n} samples, ${c} correct: needs 0 <= c <= n and 1 <= k <= n`, { n, c, k });
  let allWrong = 1; // 0 if fewer than k are wrong
  for (let i = n - c + 1; i <= n; i++) allWrong *= 1 - k / i;
  return 1 - allWrong;
}

/** Mean pass@k over problems. @returns null if a problem has fewer than k samples */
export function meanPassAtK(results: readonly { readonly n: number; readonly c: number }[], k: number): number | null {
  if (results.length === 0 || results.some(({ n }) => n < k)) return null;
  return results.reduce((sum, { n, c }) => sum + passAtK(n, c, k), 0) / results.length;
}
