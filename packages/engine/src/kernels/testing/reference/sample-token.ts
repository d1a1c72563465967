import type { Sampling } from "@laconic/core";
import { logSumExpOf } from "./head-log-probs.ts";

export type SamplingRow = Required<Sampling> & { readonly uniform: number };

/** Returns the token and its log-prob before truncation. */
export function sampleToken(
  logits: Float64Array,
  row: SamplingRow,
): { readonly token: number; readonly logProb: number } {
  const greedy = row.temperature === 0;
  const scores = greedy ? logits : logits.map((logit) => logit / row.temperature);
  const logSumExp = logSumExpOf(scores);
  const token = greedy
    ? firstLargest(scores)
    : invert(
        truncate(
          scores.map((z) => Math.exp(z - logSumExp)),
          row,
        ),
        row.uniform,
      );
  return { token, logProb: (scores[token] as number) - logSumExp };
}

/** Log-probs at temperature 1, and the `count` likeliest tokens in descending order. */
export function likeliestTokens(
  logits: Float64Array,
  count: number,
): { readonly logProbs: Float64Array; readonly order: readonly number[] } {
  const logSumExp = logSumExpOf(logits);
  const logProbs = logits.map((z) => z - logSumExp);
  const order = Array.from(logProbs.keys()).toSorted((a, b) => (logProbs[b] as number) - (logProbs[a] as number));
  return { logProbs, order: order.slice(0, count) };
}

function firstLargest(values: Float64Array): number {
  return values.reduce((best, value, i) => (value > (values[best] as number) ? i : best), 0);
}

/** Sets probabilities removed by top-k, then top-p, then min-p to 0. Equal probabilities stay together. */
function truncate(probs: Float64Array, { topK, topP, minP }: SamplingRow): Float64Array {
  const sorted = probs.toSorted().toReversed();
  const largest = sorted[0] as number;
  const retained = topK > 0 ? sorted.subarray(0, topK) : sorted;
  const least = Math.max(retained[nucleusSize(retained, topP) - 1] as number, minP * largest);
  return probs.map((p) => (p >= least ? p : 0));
}

/** Number of sorted probabilities that reach the share `topP` of their sum. */
function nucleusSize(sorted: Float64Array, topP: number): number {
  if (topP >= 1) return sorted.length;
  const goal = topP * sorted.reduce((sum, p) => sum + p, 0);
  let mass = 0;
  for (const [i, p] of sorted.entries()) {
    mass += p;
    if (mass >= goal) return i + 1;
  }
  return sorted.length;
}

/** First token, in token order, whose cumulative share exceeds `uniform`. */
function invert(probs: Float64Array, uniform: number): number {
  const goal = uniform * probs.reduce((sum, p) => sum + p, 0);
  let mass = 0;
  let last = 0;
  for (const [token, p] of probs.entries()) {
    if (p === 0) continue;
    mass += p;
    last = token;
    if (mass > goal) return token;
  }
  // `uniform` was rounded to 1.
  return last;
}
