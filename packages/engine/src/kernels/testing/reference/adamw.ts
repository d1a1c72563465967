import type { AdamWStep } from "../../contract.ts";

/** One in-place AdamW update in PyTorch's order: decay, moments, bias-corrected step. */
export function adamW(
  param: Float64Array,
  grad: Float64Array,
  first: Float64Array,
  second: Float64Array,
  { learningRate, beta1, beta2, epsilon, weightDecay, step }: AdamWStep,
  gradScale: number,
): void {
  const correction1 = 1 - beta1 ** step;
  const correction2 = 1 - beta2 ** step;
  param.forEach((value, i) => {
    const g = (grad[i] as number) * gradScale;
    const m = beta1 * (first[i] as number) + (1 - beta1) * g;
    const v = beta2 * (second[i] as number) + (1 - beta2) * g * g;
    first[i] = m;
    second[i] = v;
    const update = m / correction1 / (Math.sqrt(v / correction2) + epsilon);
    param[i] = value * (1 - learningRate * weightDecay) - learningRate * update;
  });
}
