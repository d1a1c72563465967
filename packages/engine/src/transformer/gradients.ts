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

  /** Backward of `rmsNorm` with the named weight, which adapters leave as it is; returns d loss / d x. */
  rmsNorm(model: ModelOnDevice, name: string, dOut: Tensor, x: Tensor, invRms: Tensor): Tensor {
    const { dX, dWeight } = this.#kernels.rmsNormBackward(dOut, x, parameter(model, name), invRms);
    if (model.adapter === null) this.add(name, dWeight);
    return dX;
  }

  clear(): void {
    this.#kernels.free(...this.#byName.values());
    this.#byName.clear();
  }
}
