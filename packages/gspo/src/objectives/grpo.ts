import { configError, type Objective } from "@laconic/core";
import { checkOption } from "../check-option.ts";
import { checkClip, clippedRatio, clippedSide, type ClipRange } from "./clip-range.ts";
import { tokenObjective, type TokenLevelOptions } from "./token-level.ts";

/** Clipping of GRPO and PPO. */
export interface GrpoOptions extends TokenLevelOptions {
  /** Default 0.2 on both sides (PPO, GRPO). */
  readonly clip?: ClipRange;
  /** Dual clip (Ye et al. 2020): loss of at most c |A| where A < 0; 3 in verl. Must exceed 1 + clip.high. */
  readonly dualClip?: number;
  /** Two-sided clip (INTELLECT-2): cap of the ratio, above 1 + clip.high. */
  readonly maxRatio?: number;
}

/**
 * Clipped surrogate of PPO and GRPO: l = -min(w A, clip(w, 1 - low, 1 + high) A), gradient -w A, or 0 when clipped
 * (DeepSeekMath Eq. 3; Schulman et al. 2017 Eq. 7).
 * @throws LaconicError `config_invalid` for an invalid range or an ineffective cap
 */
export function grpo(options: GrpoOptions = {}): Objective {
  const { clip = { low: 0.2, high: 0.2 }, dualClip, maxRatio, aggregation = "seq-mean-token-mean" } = options;
  checkClip("grpo", clip);
  for (const [name, cap] of [
    ["dualClip", dualClip],
    ["maxRatio", maxRatio],
  ] as const)
    if (cap !== undefined)
      checkOption(
        cap > 1 + clip.high,
        `grpo: ${name}`,
        cap,
        `above 1 + clip.high = ${1 + clip.high} to have an effect`,
      );
  if (dualClip !== undefined && maxRatio !== undefined)
    throw configError("grpo: dualClip and maxRatio are the same cap; set one");
  // Both caps bound the loss of a negative advantage.
  const cap = dualClip ?? maxRatio ?? Infinity;
  const settings = { clipLow: clip.low, clipHigh: clip.high, ratioCap: Number.isFinite(cap) ? cap : null };
  return tokenObjective("grpo", settings, { ...options, aggregation }, (ratio, advantage, _, out) => {
    out.clipped = clippedSide(ratio, advantage, clip);
    if (advantage < 0 && ratio > cap) {
      out.clipped = 1;
      out.loss = -cap * advantage;
      out.dLogProb = 0;
    } else {
      out.loss = -clippedRatio(ratio, out.clipped, clip) * advantage;
      out.dLogProb = out.clipped === 0 ? out.loss : 0;
    }
  });
}
