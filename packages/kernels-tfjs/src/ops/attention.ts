import { matrixSize, type AttentionShape, type KernelFamily } from "@laconic/engine/kernels";
import * as tf from "@tensorflow/tfjs-core";
import type { Tensor as TfTensor } from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";
import { fromHeads, paddedLayout, sumFromHeads, toHeads, type PaddedLayout } from "./padding.ts";
import { joined } from "./rows.ts";

/** Added to masked scores. Finite, so that the difference of two is not NaN. */
export const hidden = -1e30;

/**
 * Causal attention over padded sequences, in parts within the backend's limit. The backward pass recomputes the
 * shares from the log-sum-exps. A tree row takes its result and gradient from its first sequence; key and value
 * gradients are summed.
 */
export function attentionKernels(device: OpsDevice): KernelFamily<"attention"> {
  return {
    attention(q, k, v, shape, layout) {
      const [rows] = matrixSize(q);
      const { queryHeads, kvHeads, headDim, scale } = shape;
      const group = queryHeads / kvHeads;
      const [out, logSumExp] = device.makeAll(
        [
          [rows, queryHeads * headDim],
          [rows, queryHeads],
        ],
        () => {
          const padded = paddedLayout(device, layout, rows);
          const queries = toHeads(device.data(q), padded, kvHeads, group, headDim);
          const [keys, values] = [k, v].map((tensor) =>
            toHeads(device.data(tensor), padded, kvHeads, 1, headDim),
          ) as Pair;
          const mask = causalMask(padded.longest, group);
          const [mixed, sums] = inParts(device, padded, shape, 2, (part) => {
            const scores = tf.add(tf.mul(tf.matMul(part(queries), part(keys), false, true), scale), mask);
            const total = tf.logSumExp(scores, 3, true);
            return [tf.matMul(tf.exp(tf.sub(scores, total)), part(values)), total];
          }) as Pair;
          return [fromHeads(mixed, padded, kvHeads, group, headDim), fromHeads(sums, padded, kvHeads, group, 1)];
        },
      );
      return { out, logSumExp };
    },
    attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout) {
      const [rows] = matrixSize(q);
      const { queryHeads, kvHeads, headDim, scale } = shape;
      const group = queryHeads / kvHeads;
      const [dQ, dK, dV] = device.makeAll([q.shape, k.shape, v.shape], () => {
        // Row term of the softmax gradient: sum(dOut * out).
        const along = tf.reshape(tf.mul(device.data(dOut), device.data(out)), [rows * queryHeads, headDim]);
        const deltas = tf.reshape(tf.sum(along, 1), [rows, queryHeads]);
        const padded = paddedLayout(device, layout, rows);
        const byQuery = (x: TfTensor, width: number, mask = padded.present) =>
          toHeads(x, padded, kvHeads, group, width, mask);
        const once = padded.owned ?? padded.present;
        const queries = byQuery(device.data(q), headDim);
        const dMixed = byQuery(device.data(dOut), headDim, once);
        const [keys, values] = [k, v].map((tensor) =>
          toHeads(device.data(tensor), padded, kvHeads, 1, headDim),
        ) as Pair;
        const sums = byQuery(device.data(logSumExp), 1);
        const delta = byQuery(deltas, 1, once);
        const mask = causalMask(padded.longest, group);
        const [dQueries, dKeys, dValues] = inParts(device, padded, shape, 3, (part) => {
          const scores = tf.add(tf.mul(tf.matMul(part(queries), part(keys), false, true), scale), mask);
          const shares = tf.exp(tf.sub(scores, part(sums)));
          const dShares = tf.matMul(part(dMixed), part(values), false, true);
          const dScores = tf.mul(tf.mul(shares, tf.sub(dShares, part(delta))), scale);
          return [
            tf.matMul(dScores, part(keys)),
            tf.matMul(dScores, part(queries), true, false),
            tf.matMul(shares, part(dMixed), true, false),
          ];
        }) as [TfTensor, TfTensor, TfTensor];
        return [
          fromHeads(dQueries, padded, kvHeads, group, headDim),
          sumFromHeads(dKeys, padded, kvHeads, headDim),
          sumFromHeads(dValues, padded, kvHeads, headDim),
        ];
      });
      return { dQ, dK, dV };
    },
  };
}

type Pair = [TfTensor, TfTensor];

/** Additive mask [group * longest, longest]: a token sees itself and earlier positions. */
function causalMask(longest: number, group: number): TfTensor {
  const mask = new Float32Array(longest * longest);
  for (let i = 0; i < longest; i++) mask.fill(hidden, i * longest + i + 1, (i + 1) * longest);
  return tf.tile(tf.tensor2d(mask, [longest, longest]), [group, 1]);
}

function inParts(
  device: OpsDevice,
  { sequences, longest }: PaddedLayout,
  { queryHeads }: AttentionShape,
  results: number,
  body: (part: (x: TfTensor) => TfTensor) => TfTensor[],
): TfTensor[] {
  const atOnce = Math.max(1, Math.floor(device.backend.maxElements / (queryHeads * longest * longest)));
  if (atOnce >= sequences) return body((x) => x);
  const parts: TfTensor[][] = [];
  for (let start = 0; start < sequences; start += atOnce) {
    const count = Math.min(atOnce, sequences - start);
    parts.push(
      tf.tidy(() =>
        body((x) => tf.slice(x, [start, 0, 0, 0], [count, ...x.shape.slice(1)] as [number, number, number, number])),
      ),
    );
  }
  return joined(parts, results);
}
