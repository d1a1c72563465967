import { total } from "./numbers.ts";
import type { AuditedStep } from "../folder/record.ts";
import type { Known, SettingsOf } from "./schema.ts";

const options = {
  kind: ["truncate", "mask"],
  level: ["token", "sequence", "geometric"],
  cap: "number",
  "veto?": "number",
  // Corrects only where the mean |log π_old - log π of the sampler| of an optimiser step is above it.
  "gapAbove?": "number",
} as const;

/** A correction for samples of other weights or other kernels. */
export type ImportanceSettings = SettingsOf<typeof options>;
/** What is known of it. */
export const knownImportance: Known = options;

/** log π_old and log π of the sampler, of the tokens of a unit. */
export interface SampledUnit {
  readonly old: readonly number[];
  readonly sampled: readonly number[];
}

/**
 * How the samples of an optimiser step are weighted. Older ones count by how likelier their reply has become; where nothing
 * differs there is nothing to correct. Other corrections act where the sampler is far enough away.
 */
export function correctionOf(
  { asynchronous }: { readonly asynchronous: { readonly importanceCap: number } | null },
  { importance }: { readonly importance?: ImportanceSettings },
  { lag }: Pick<AuditedStep, "lag">,
  units: readonly SampledUnit[],
): ImportanceSettings | undefined {
  const gaps = units.flatMap(({ old, sampled }) => old.map((value, t) => Math.abs(value - (sampled[t] as number))));
  const gap = total(gaps) / Math.max(1, gaps.length);
  if (asynchronous && [lag].flat().some((each) => each !== 0))
    return gap > 0 ? { kind: "truncate", level: "geometric", cap: asynchronous.importanceCap } : undefined;
  return importance?.gapAbove !== undefined && gap <= importance.gapAbove ? undefined : importance;
}

/** ρ = π_old / π_sampler of a unit, by token, after its cap or mask. */
export function correction(
  { kind, level, cap, veto }: ImportanceSettings,
  { old, sampled }: SampledUnit,
): { readonly weights: readonly number[]; readonly ratios: readonly number[] } {
  const gaps = old.map((value, t) => value - (sampled[t] as number));
  const raise = (x: number): number => Math.exp(Math.min(20, x));
  const ratios =
    level === "token"
      ? gaps.map(raise)
      : [raise(level === "geometric" ? total(gaps) / Math.max(1, gaps.length) : total(gaps))];
  const keep = (ratio: number): number =>
    kind === "truncate" ? Math.min(cap, ratio) : ratio > cap || ratio < 1 / cap ? 0 : ratio;
  const vetoed = veto !== undefined && gaps.some((gap) => gap < Math.log(veto));
  const weights = gaps.map((_, t) => (vetoed ? 0 : keep((level === "token" ? ratios[t] : ratios[0]) as number)));
  return { weights, ratios };
}
