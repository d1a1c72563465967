import { headSize, type KernelFamily } from "@laconic/engine/kernels";
import * as tf from "@tensorflow/tfjs-core";
import type { Tensor1D, Tensor as TfTensor } from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";
import { joined, picked } from "./rows.ts";

/** Log-probs of targets, in row tiles whose logits fit the backend's limit. */
export function headKernels(device: OpsDevice): KernelFamily<"head"> {
  const parts = (rows: number, vocabulary: number): readonly [start: number, count: number][] => {
    const atOnce = Math.max(1, Math.floor(device.backend.maxElements / vocabulary));
    return Array.from({ length: Math.ceil(rows / atOnce) }, (_, i) => [
      i * atOnce,
      Math.min(atOnce, rows - i * atOnce),
    ]);
  };
  return {
    headLogProbs(hidden, weight, targets, inverseTemperature) {
      const [rows, width, vocabulary] = headSize(hidden, weight);
      const [picks, entropy, logSumExp] = device.makeAll([[rows], [rows], [rows]], () => {
        const made = parts(rows, vocabulary).map(([start, count]) =>
          tf.tidy(() => {
            const input = tf.slice(device.data(hidden), [start, 0], [count, width]);
            const logits = tf.matMul(input, device.data(weight), false, true);
            const target = tf.slice(device.data(targets), start, count);
            const scale = tf.slice(device.data(inverseTemperature), start, count);
            const scores = tf.mul(logits, tf.expandDims(scale, 1));
            const total = tf.logSumExp(scores, 1, true);
            const logProbs = tf.sub(scores, total);
            return [
              picked(logProbs, target),
              tf.neg(tf.sum(tf.mul(tf.exp(logProbs), logProbs), 1)),
              tf.reshape(total, [count]),
            ];
          }),
        );
        return joined(made, 3);
      });
      return { logProbs: picks, entropy, logSumExp };
    },
    headLogProbsBackward(dLogProbs, { hidden, weight, targets, inverseTemperature, logSumExp }, needs) {
      const [rows, width, vocabulary] = headSize(hidden, weight);
      if (rows === 0) {
        const dHidden = device.make([0, width], () => tf.zeros([0, width]));
        return needs.weight
          ? { dHidden, dWeight: device.make([vocabulary, width], () => tf.zeros([vocabulary, width])) }
          : { dHidden };
      }
      const w = device.data(weight);
      const gradients = (): { readonly dHidden: TfTensor; readonly dWeight: TfTensor | null } => {
        const dHidden: TfTensor[] = [];
        let dWeight: TfTensor | null = null;
        for (const [start, count] of parts(rows, vocabulary)) {
          const rowsOf = (x: TfTensor) => tf.slice(x, start, count);
          const scale = rowsOf(device.data(inverseTemperature));
          const input = tf.slice(device.data(hidden), [start, 0], [count, width]);
          const target = rowsOf(device.data(targets));
          const sums = rowsOf(device.data(logSumExp));
          const scaled = tf.mul(rowsOf(device.data(dLogProbs)), scale);
          const logits = tf.matMul(input, w, false, true);
          const shares = tf.exp(tf.sub(tf.mul(logits, tf.expandDims(scale, 1)), tf.expandDims(sums, 1)));
          const dTarget = tf.expandDims(scaled, 1);
          // dLogits = dTarget (one-hot(target) - shares); the one-hot part uses rows of the weight.
          const dLogits = tf.neg(tf.mul(shares, dTarget));
          dHidden.push(tf.add(tf.matMul(dLogits, w), tf.mul(tf.gather(w, target), dTarget)));
          if (!needs.weight) continue;
          const ofTargets = tf.unsortedSegmentSum(tf.mul(input, dTarget), target as Tensor1D, vocabulary);
          dWeight = plus(dWeight, tf.add(tf.matMul(dLogits, input, true, false), ofTargets));
        }
        return { dHidden: tf.concat(dHidden, 0), dWeight };
      };
      if (!needs.weight) return { dHidden: device.make([rows, width], () => gradients().dHidden) };
      const [dHidden, dWeight] = device.makeAll(
        [
          [rows, width],
          [vocabulary, width],
        ],
        () => {
          const made = gradients();
          return [made.dHidden, made.dWeight ?? tf.zeros([vocabulary, width])];
        },
      );
      return { dHidden, dWeight };
    },
  };
}

function plus(before: TfTensor | null, part: TfTensor): TfTensor {
  return before === null ? part : tf.add(before, part);
}
