import type { AdamWStep, Kernels } from "@laconic/engine/kernels";
import {
  add,
  div,
  isFinite,
  keep,
  maximum,
  mul,
  scalar,
  sqrt,
  square,
  sub,
  sum,
  tidy,
  where,
  zeros,
  type Tensor as TfTensor,
} from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";

/** Gradient norm and AdamW. */
export function optimizerKernels(device: OpsDevice): Pick<Kernels, "sumSquares" | "adamW"> {
  const { store } = device;
  return {
    sumSquares: (tensors) =>
      device.make([1], () => {
        const parts = tensors.map((each) => device.data(each)).filter(({ size }) => size > 0);
        // One after the other: a single sum of them all would bind more buffers than WebGPU allows.
        return parts.reduce<TfTensor>((total, each) => add(total, sum(square(each))), zeros([1]));
      }),
    adamW(tensors, step) {
      tidy(() => {
        const clip = step.clip ? clipFactors(device.data(step.clip.squares), step.clip.maxNorm) : null;
        for (const { param, grad, first, second } of tensors) {
          const [p, g, m, v] = [param, grad, first, second].map((each) => device.data(each));
          if (!p || !g || !m || !v || p.size === 0) continue;
          const made = tidy(() => updated([p, g, m, v], clip, step));
          [param, first, second].forEach((each, i) => store.replace(each, keep(made[i] as TfTensor)));
        }
      });
    },
  };
}

/** Whether the norm is finite, and what gradients are multiplied by. */
interface ClipFactors {
  readonly finite: TfTensor;
  readonly scale: TfTensor;
}

function clipFactors(squares: TfTensor, maxNorm: number): ClipFactors {
  const finite = isFinite(squares);
  const scale = Number.isFinite(maxNorm) ? div(maxNorm, maximum(sqrt(squares), maxNorm)) : scalar(1);
  return { finite, scale };
}

/** Parameter and moments after one update. */
function updated(
  [p, g, m, v]: readonly [TfTensor, TfTensor, TfTensor, TfTensor],
  clip: ClipFactors | null,
  { learningRate, beta1, beta2, epsilon, weightDecay, step }: AdamWStep,
): [TfTensor, TfTensor, TfTensor] {
  const gradient = clip ? mul(g, clip.scale) : g;
  const first = add(mul(m, beta1), mul(gradient, 1 - beta1));
  const second = add(mul(v, beta2), mul(square(gradient), 1 - beta2));
  const [correction1, correction2] = [1 - beta1 ** step, 1 - beta2 ** step];
  const size = add(mul(sqrt(second), 1 / Math.sqrt(correction2)), epsilon);
  const decayed = mul(p, 1 - learningRate * weightDecay);
  const param = sub(decayed, mul(div(first, size), learningRate / correction1));
  if (!clip) return [param, first, second];
  return [where(clip.finite, param, p), where(clip.finite, first, m), where(clip.finite, second, v)];
}
