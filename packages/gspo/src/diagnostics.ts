import { statisticOf, type Diagnostics, type Statistic } from "@laconic/core";
import { klValue } from "./kl.ts";
import type { Prepared } from "./prepare.ts";

/**
 * Diagnostics of all objectives: active clips only, as in TRL. Single passes, because batches have half a million
 * tokens.
 * @param clipped - per unit (token or sequence): -1 below, 1 above, 0 inside
 * @param clamped - number of units with a clamped log-ratio
 */
export function ratioDiagnostics(
  prepared: Prepared,
  ratios: Float64Array,
  clipped: Int8Array,
  clamped: number,
): Diagnostics {
  const { low, high } = countSides(clipped);
  const share = (hits: number): Statistic => flags(hits, clipped.length);
  return {
    ratio: statisticOf(ratios),
    "clip_ratio/low": share(low),
    "clip_ratio/high": share(high),
    "clip_ratio/region": share(low + high),
    ratio_clamped: flags(clamped, clipped.length),
    ...driftDiagnostics(prepared),
    empty_sequences: flags(prepared.lengths.filter((length) => length === 0).length, prepared.sequences),
  };
}

/** Upper bounds of |y|; the last bucket is open. */
const lengthBuckets = [1, 4, 16, 64, 256] as const;

/**
 * Share of clipped sequences by |y|; short ones are clipped by noise.
 * @param clipped - per sequence with trained tokens, in order
 */
export function clipsByLength({ lengths }: Prepared, clipped: Int8Array): Diagnostics {
  const hits = new Int32Array(lengthBuckets.length + 1);
  const counts = new Int32Array(lengthBuckets.length + 1);
  let unit = 0;
  for (const length of lengths) {
    if (length === 0) continue;
    const lengthBucket = lengthBuckets.findIndex((largest) => length <= largest);
    const bucket = lengthBucket < 0 ? lengthBuckets.length : lengthBucket;
    counts[bucket] = counts[bucket]! + 1;
    if (clipped[unit] !== 0) hits[bucket] = hits[bucket]! + 1;
    unit += 1;
  }
  const result: Record<string, Statistic> = {};
  counts.forEach((count, bucket) => {
    if (count > 0) result[`clip_ratio/region/${bucketName(bucket)}`] = flags(hits[bucket]!, count);
  });
  return result;
}

function bucketName(bucket: number): string {
  const smallest = (lengthBuckets[bucket - 1] ?? 0) + 1;
  const largest = lengthBuckets[bucket];
  if (largest === undefined) return `len_${smallest}_up`;
  return smallest === largest ? `len_${largest}` : `len_${smallest}_${largest}`;
}

function driftDiagnostics({ logRatio, input }: Prepared): Diagnostics {
  const { mask } = input;
  let count = 0;
  let sum = 0;
  let sumAbs = 0;
  let k3 = 0;
  let k3Min = Infinity;
  let lowest = Infinity;
  let highest = -Infinity;
  let smallest = Infinity;
  for (let t = 0; t < logRatio.length; t++) {
    if (mask && mask[t] === 0) continue;
    const d = logRatio[t]!;
    const size = d < 0 ? -d : d;
    count += 1;
    sum += d;
    sumAbs += size;
    const divergence = klValue("k3", -d);
    k3 += divergence;
    if (divergence < k3Min) k3Min = divergence;
    if (size < smallest) smallest = size;
    if (d < lowest) lowest = d;
    if (d > highest) highest = d;
  }
  // k3 grows on both sides of d = 0.
  const k3Max = count === 0 ? -Infinity : Math.max(klValue("k3", -lowest), klValue("k3", -highest));
  return {
    log_ratio_abs: { sum: sumAbs, count, min: smallest, max: Math.max(-lowest, highest) },
    "approx_kl/k1": { sum: -sum, count, min: -highest, max: -lowest },
    "approx_kl/k3": { sum: k3, count, min: k3Min, max: k3Max },
  };
}

function countSides(clipped: Int8Array): { low: number; high: number } {
  let low = 0;
  let high = 0;
  for (let i = 0; i < clipped.length; i++) {
    if (clipped[i]! < 0) low += 1;
    else if (clipped[i]! > 0) high += 1;
  }
  return { low, high };
}

function flags(hits: number, count: number): Statistic {
  return {
    sum: hits,
    count,
    min: count === 0 ? Infinity : hits === count ? 1 : 0,
    max: count === 0 ? -Infinity : hits > 0 ? 1 : 0,
  };
}
