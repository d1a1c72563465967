import type { Tensor } from "../kernels/index.ts";
import type { Gradients } from "./gradients.ts";
import { normWeight, type ModelOnDevice } from "./model-on-device.ts";

export interface NormPass {
  readonly name: string;
  readonly x: Tensor;
  readonly invRms: Tensor;
}

export interface Normed {
  readonly out: Tensor;
  readonly pass: NormPass | null;
}

/** @param name - weight; undefined returns `x` */
export function norm(model: ModelOnDevice, name: string | undefined, x: Tensor): Normed {
  if (name === undefined) return { out: x, pass: null };
  const { out, invRms } = model.kernels.rmsNorm(x, normWeight(model, name), model.config.rmsNormEpsilon);
  return { out, pass: { name, x, invRms } };
}

/** Returns d loss / d x, added to `onto`. */
export function normBackward(
  model: ModelOnDevice,
  pass: NormPass | null | undefined,
  dOut: Tensor,
  gradients: Gradients,
  onto: Tensor | null = null,
): Tensor {
  if (pass) return gradients.rmsNorm(model, pass.name, { dOut, x: pass.x, invRms: pass.invRms }, onto);
  return onto ? model.kernels.add(onto, dOut) : dOut;
}

export function scaledBy({ kernels }: ModelOnDevice, x: Tensor, factor: number): Tensor {
  return factor === 1 ? x : kernels.scaled(x, factor);
}
