import type { GpuArray } from "../gpu-array.ts";
import { groupIndex, threads, type WgslProgram } from "./program.ts";

/** A number for each row of all logits, of which a program sees some: its logits begin at row `first`. */
type OfRows<Name extends string> = Readonly<Record<Name, GpuArray>> & { readonly first: number };

/**
 * Selective log-softmax: of each row of logits [m, V] the log-prob of one token, the entropy and the log-sum-exp, in one pass
 * over the row. Each thread keeps the largest score it saw and two sums relative to it. Writes rows of `logProbs`, `entropy`
 * and `logSumExp`, [M] each.
 */
export function selectLogProbsProgram(
  logits: GpuArray,
  { targets, scale, first }: OfRows<"targets" | "scale">,
): WgslProgram {
  const [rows, vocabulary] = logits.shape as [number, number];
  return {
    name: "select-log-probs",
    constants: {},
    inputs: { logits: { data: logits }, targets: { data: targets }, scale: { data: scale } },
    uniforms: {
      rows: { type: "int32", value: rows },
      vocabulary: { type: "int32", value: vocabulary },
      first: { type: "int32", value: first },
    },
    groups: rows,
    code: `
var<workgroup> largest : array<f32, THREADS>;
var<workgroup> sums : array<f32, THREADS>;
var<workgroup> weighted : array<f32, THREADS>;
fn main(index : i32) {
  let row = ${groupIndex};
  let at = uniforms.first + row;
  let own = i32(localIndex);
  var most = -1e30;
  var sum = 0.0;
  var weight = 0.0;
  if (row < uniforms.rows) {
    for (var i = own; i < uniforms.vocabulary; i += THREADS) {
      let score = logits[row * uniforms.vocabulary + i] * scale[at];
      if (score > most) {
        let kept = exp(most - score);
        sum *= kept;
        weight *= kept;
        most = score;
      }
      let share = exp(score - most);
      sum += share;
      weight += share * score;
    }
  }
  largest[own] = most;
  sums[own] = sum;
  weighted[own] = weight;
  workgroupBarrier();
  if (own == 0 && row < uniforms.rows) {
    for (var i = 1; i < THREADS; i++) { most = max(most, largest[i]); }
    sum = 0.0;
    weight = 0.0;
    for (var i = 0; i < THREADS; i++) {
      let kept = exp(largest[i] - most);
      sum += sums[i] * kept;
      weight += weighted[i] * kept;
    }
    let whole = most + log(sum);
    logProbs[at] = logits[row * uniforms.vocabulary + targets[at]] * scale[at] - whole;
    entropy[at] = whole - weight / sum;
    logSumExp[at] = whole;
  }
}`,
  };
}

/** Puts dLogProb scale (one-hot(target) - softmax) of each row in the place of its logits, `result` [m, V]. */
export function selectLogProbsGradient(
  [rows, vocabulary]: readonly [number, number],
  { targets, scale, logSumExp, dLogProb, first }: OfRows<"targets" | "scale" | "logSumExp" | "dLogProb">,
): WgslProgram {
  return {
    name: "select-log-probs-gradient",
    constants: {},
    inputs: {
      targets: { data: targets },
      scale: { data: scale },
      logSumExp: { data: logSumExp },
      dLogProb: { data: dLogProb },
    },
    uniforms: {
      count: { type: "int32", value: rows * vocabulary },
      vocabulary: { type: "int32", value: vocabulary },
      first: { type: "int32", value: first },
    },
    groups: Math.ceil((rows * vocabulary) / threads),
    code: `
fn main(index : i32) {
  if (index < uniforms.count) {
    let at = uniforms.first + index / uniforms.vocabulary;
    let share = exp(result[index] * scale[at] - logSumExp[at]);
    let picked = select(0.0, 1.0, index % uniforms.vocabulary == targets[at]);
    result[index] = dLogProb[at] * scale[at] * (picked - share);
  }
}`,
  };
}
