import type { Objective } from "@laconic/core";
import { exponential, logarithm } from "@laconic/core/numeric";
import { isClamped, meanLogRatio, ratioOf } from "../log-ratio.ts";
import { refuseImportance, type CommonOptions } from "./assemble.ts";
import { checkClip, type ClipRange } from "./clip-range.ts";
import { clippedTerm, sequenceObjective } from "./sequence-level.ts";

/** LUSPO: |y| times GSPO's loss, gradient -s A / N. Default clip 2e-3/2.5e-3. */
export function luspo(options: CommonOptions & { readonly clip?: ClipRange } = {}): Objective {
  const { clip = { low: 2e-3, high: 2.5e-3 } } = options;
  checkClip("luspo", clip);
  const settings = { clipLow: clip.low, clipHigh: clip.high };
  return sequenceObjective("luspo", settings, "seq-mean-token-sum", options, ({ logRatio, length, advantage }) => {
    return clippedTerm(meanLogRatio(logRatio, length), advantage, clip);
  });
}

/**
 * GMPO: geometric mean of ratios clipped per token in log space, ρ = exp mean_t b_t with b = min(d, ε) for A > 0 and
 * max(d, -ε) for A < 0. Default ε = 0.4.
 */
export function gmpo(options: CommonOptions & { readonly clip?: ClipRange } = {}): Objective {
  const { clip = { low: 0.4, high: 0.4 } } = options;
  checkClip("gmpo", clip);
  const settings = { logClipLow: clip.low, logClipHigh: clip.high };
  return sequenceObjective("gmpo", settings, "seq-mean-token-mean", options, ({ logRatio, length, advantage }) => {
    // Batches have half a million tokens.
    let sum = 0;
    let outside = 0;
    const [lowest, highest] = [advantage < 0 ? -clip.low : -Infinity, advantage > 0 ? clip.high : Infinity];
    const inside = (d: number) => d >= lowest && d <= highest;
    for (let t = 0; t < logRatio.length; t++) {
      const d = logRatio[t]!;
      if (inside(d)) sum += d;
      else {
        sum += advantage > 0 ? clip.high : -clip.low;
        outside += 1;
      }
    }
    const mean = sum / length;
    const [ratio, clamped] = [ratioOf(mean), isClamped(mean)];
    const dLogProb = new Float64Array(logRatio.length);
    for (let t = 0; t < logRatio.length; t++) if (inside(logRatio[t]!)) dLogProb[t] = -ratio * advantage;
    const clipped = outside === 0 ? 0 : advantage > 0 ? 1 : -1;
    return { loss: -ratio * advantage, dLogProb, ratio, clamped, clipped };
  });
}

/** VESPO's soft weight by sign of the advantage. */
export interface VespoOptions extends CommonOptions {
  /** (k, λ) for A >= 0. Default 2, 3. */
  readonly positive?: readonly [k: number, lambda: number];
  /** (k, λ) for A < 0. Default 3, 2. */
  readonly negative?: readonly [k: number, lambda: number];
}

/** VESPO: l = -sg[φ] A log π, φ = e^λ W^k e^(-λ W), W the product of ratios; log W clamped to [log 1e-8, 20]. */
export function vespo(options: VespoOptions = {}): Objective {
  const { positive = [2, 3], negative = [3, 2] } = options;
  refuseImportance("vespo", "weight", options);
  const settings = { positive: positive.join(","), negative: negative.join(",") };
  const detached = { ...options, ratioDetached: true };
  return sequenceObjective("vespo", settings, "token-mean", detached, ({ logRatio, advantage, logProbs }) => {
    const sum = meanLogRatio(logRatio, 1);
    const logW = Math.max(logarithm(1e-8), Math.min(20, sum));
    const [k, lambda] = advantage >= 0 ? positive : negative;
    const phi = exponential(lambda + k * logW - lambda * exponential(logW));
    const loss = logProbs.map((logProb) => -phi * advantage * logProb);
    return { loss, dLogProb: -phi * advantage, ratio: exponential(logW), clamped: logW !== sum, clipped: 0 };
  });
}

/** MAGRPO: L_i = -A sum_t log π, gradient -A / N, without ratio, clip and default KL. N = siblings of a tree node. */
export function magrpo(options: CommonOptions = {}): Objective {
  return sequenceObjective(
    "magrpo",
    {},
    "seq-mean-token-sum",
    { ...options, ratioDetached: true },
    ({ logRatio, length, advantage, logProbs }) => {
      const mean = meanLogRatio(logRatio, length);
      const loss = logProbs.map((logProb) => -advantage * logProb);
      return { loss, dLogProb: -advantage, ratio: ratioOf(mean), clamped: isClamped(mean), clipped: 0 };
    },
  );
}
