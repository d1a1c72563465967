import type { Tensor as TfTensor } from "@tensorflow/tfjs-core";
import { groupIndex, threads, type WgslProgram } from "./run-program.ts";

/**
 * Selective log-softmax: of each row of logits [M, V] the log-prob of one token, the entropy and the log-sum-exp, [3, M], in one
 * pass over the row. Each thread keeps the largest score it saw and two sums relative to it.
 */
export function selectLogProbsProgram(logits: TfTensor, targets: TfTensor, scale: TfTensor): WgslProgram {
  const [rows, vocabulary] = logits.shape as [number, number];
  return {
    name: "select-log-probs",
    constants: { THREADS: threads },
    inputs: { logits: { data: logits }, targets: { data: targets }, scale: { data: scale } },
    uniforms: { rows: { type: "int32", value: rows }, vocabulary: { type: "int32", value: vocabulary } },
    groups: rows,
    code: `
var<workgroup> largest : array<f32, THREADS>;
var<workgroup> sums : array<f32, THREADS>;
var<workgroup> weighted : array<f32, THREADS>;
fn main(index : i32) {
  let row = ${groupIndex};
  let own = i32(localIndex);
  var most = -1e30;
  var sum = 0.0;
  var weight = 0.0;
  if (row < uniforms.rows) {
    for (var i = own; i < uniforms.vocabulary; i += THREADS) {
      let score = logits[row * uniforms.vocabulary + i] * scale[row];
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
    result[row] = logits[row * uniforms.vocabulary + targets[row]] * scale[row] - whole;
    result[uniforms.rows + row] = whole - weight / sum;
    result[2 * uniforms.rows + row] = whole;
  }
}`,
  };
}

/** slope (one-hot(target) - softmax) of each row, [M, V], in one pass. */
export function selectLogProbsGradient(
  logits: TfTensor,
  { targets, scale, logSumExp, slope }: Readonly<Record<"targets" | "scale" | "logSumExp" | "slope", TfTensor>>,
): WgslProgram {
  const [rows, vocabulary] = logits.shape as [number, number];
  return {
    name: "select-log-probs-gradient",
    constants: {},
    inputs: {
      logits: { data: logits },
      targets: { data: targets },
      scale: { data: scale },
      logSumExp: { data: logSumExp },
      slope: { data: slope },
    },
    uniforms: {
      count: { type: "int32", value: rows * vocabulary },
      vocabulary: { type: "int32", value: vocabulary },
    },
    groups: Math.ceil((rows * vocabulary) / threads),
    code: `
fn main(index : i32) {
  if (index < uniforms.count) {
    let row = index / uniforms.vocabulary;
    let share = exp(logits[index] * scale[row] - logSumExp[row]);
    let picked = select(0.0, 1.0, index % uniforms.vocabulary == targets[row]);
    result[index] = slope[row] * (picked - share);
  }
}`,
  };
}
