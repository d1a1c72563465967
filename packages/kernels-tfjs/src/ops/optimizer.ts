import type { AdamWStep, KernelFamily } from "@laconic/engine/kernels";
import * as tf from "@tensorflow/tfjs-core";
import type { Tensor as TfTensor } from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";

export function optimizerKernels(device: OpsDevice): KernelFamily<"optimizer"> {
  const { store } = device;
  return {
    sumSquares: (tensors) =>
      device.make([1], () => {
        const parts = tensors.map((tensor) => device.data(tensor)).filter(({ size }) => size > 0);
        // A single sum over all tensors would bind more buffers than WebGPU allows.
        return parts.reduce<TfTensor>((total, part) => tf.add(total, tf.sum(tf.square(part))), tf.zeros([1]));
      }),
    adamW(tensors, step) {
      tf.tidy(() => {
        const clip = step.clip ? clipFactors(device.data(step.clip.squares), step.clip.maxNorm) : null;
        for (const { param, grad, first, second } of tensors) {
          const [p, g, m, v] = [param, grad, first, second].map((tensor) => device.data(tensor));
          if (!p || !g || !m || !v || p.size === 0) continue;
          const made = tf.tidy(() => updated([p, g, m, v], clip, step));
          [param, first, second].forEach((tensor, i) => store.replace(tensor, tf.keep(made[i]!)));
        }
      });
    },
  };
}

interface ClipFactors {
  readonly finite: TfTensor;
  readonly scale: TfTensor;
}

function clipFactors(squares: TfTensor, maxNorm: number): ClipFactors {
  const finite = tf.isFinite(squares);
  const scale = Number.isFinite(maxNorm) ? tf.div(maxNorm, tf.maximum(tf.sqrt(squares), maxNorm)) : tf.scalar(1);
  return { finite, scale };
}

function updated(
  [p, g, m, v]: readonly [TfTensor, TfTensor, TfTensor, TfTensor],
  clip: ClipFactors | null,
  { learningRate, beta1, beta2, epsilon, weightDecay, step }: AdamWStep,
): [TfTensor, TfTensor, TfTensor] {
  const gradient = clip ? tf.mul(g, clip.scale) : g;
  const first = tf.add(tf.mul(m, beta1), tf.mul(gradient, 1 - beta1));
  const second = tf.add(tf.mul(v, beta2), tf.mul(tf.square(gradient), 1 - beta2));
  const [correction1, correction2] = [1 - beta1 ** step, 1 - beta2 ** step];
  const size = tf.add(tf.mul(tf.sqrt(second), 1 / Math.sqrt(correction2)), epsilon);
  const decayed = tf.mul(p, 1 - learningRate * weightDecay);
  const param = tf.sub(decayed, tf.mul(tf.div(first, size), learningRate / correction1));
  if (!clip) return [param, first, second];
  return [tf.where(clip.finite, param, p), tf.where(clip.finite, first, m), tf.where(clip.finite, second, v)];
}
