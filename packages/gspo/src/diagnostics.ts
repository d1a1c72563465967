import { statisticOf, type Diagnostics } from "@laconic/core";
import type { Prepared } from "./prepare.ts";

/**
 * What every objective reports, as in TRL: active clips only.
 * @param clipped - per unit (token or sequence): -1 below, 1 above, 0 inside
 * @param ratios - per unit
 */
export function ratioDiagnostics(prepared: Prepared, ratios: Float64Array, clipped: Int8Array): Diagnostics {
  const { logRatio, input, lengths, clamped } = prepared;
  const trained = logRatio.filter((_, t) => !input.mask || input.mask[t] !== 0);
  return {
    ratio: statisticOf(ratios),
    "clip_ratio/low": statisticOf(clipped.map((side) => (side < 0 ? 1 : 0))),
    "clip_ratio/high": statisticOf(clipped.map((side) => (side > 0 ? 1 : 0))),
    "clip_ratio/region": statisticOf(clipped.map((side) => (side === 0 ? 0 : 1))),
    log_ratio_abs: statisticOf(trained.map(Math.abs)),
    ratio_clamped: { sum: clamped, count: trained.length, min: 0, max: clamped > 0 ? 1 : 0 },
    "approx_kl/k1": statisticOf(trained.map((d) => -d)),
    "approx_kl/k3": statisticOf(trained.map((d) => Math.exp(d) - 1 - d)),
    empty_sequences: statisticOf(lengths.map((length) => (length === 0 ? 1 : 0))),
  };
}
