import type { Kernels, Tensor } from "../kernels/index.ts";
import { parameter, type ModelOnDevice } from "./model-on-device.ts";

/** Adds up d loss / d parameter by name, over layers, tied uses and micro-batches. */
export class Gradients {
  readonly #kernels: Kernels;
  readonly #byName = new Map<string, Tensor>();

  constructor(kernels: Kernels) {
    this.#kernels = kernels;
  }

  get byName(): ReadonlyMap<string, Tensor> {
    return this.#byName;
  }

  add(name: string, delta: Tensor): void {
    const sum = this.#byName.get(name);
    if (sum) this.#kernels.accumulate(sum, delta);
    else this.#byName.set(name, this.#kernels.keep(delta));
  }

  /** Backward of `linear` with the named weight and, where the model has one, bias; returns d loss / d x. */
  linear(model: ModelOnDevice, name: string, dOut: Tensor, x: Tensor): Tensor {
    const bias = model.parameters.has(`${name}.bias`);
    const weight = parameter(model, `${name}.weight`);
    const { dX, dWeight, dBias } = this.#kernels.linearBackward(dOut, x, weight, { input: true, weight: true, bias });
    this.add(`${name}.weight`, dWeight as Tensor);
    if (dBias) this.add(`${name}.bias`, dBias);
    return dX as Tensor;
  }

  /** Backward of `rmsNorm` with the named weight; returns d loss / d x. */
  rmsNorm(model: ModelOnDevice, name: string, dOut: Tensor, x: Tensor, invRms: Tensor): Tensor {
    const { dX, dWeight } = this.#kernels.rmsNormBackward(dOut, x, parameter(model, name), invRms);
    this.add(name, dWeight);
    return dX;
  }

  clear(): void {
    this.#kernels.free(...this.#byName.values());
    this.#byName.clear();
  }
}
