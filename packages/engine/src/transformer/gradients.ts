import type { Kernels, Tensor } from "@laconic/kernels";
import { parameter, type ModelOnDevice } from "./model-on-device.ts";

/** Adds up d loss / d parameter by name, over layers, tied uses and micro-batches. */
export class Gradients {
  readonly #kernels: Kernels;
  readonly #byName = new Map<string, Tensor>();
  #added = 0;
  #leaveOut = 0;

  constructor(kernels: Kernels) {
    this.#kernels = kernels;
  }

  get byName(): ReadonlyMap<string, Tensor> {
    return this.#byName;
  }

  /**
   * Starts a backward pass. Every pass adds the same gradients in the same order, so one that repeats another which
   * stopped midway leaves out those that are in already.
   */
  startPass(leaveOut = 0): void {
    this.#added = 0;
    this.#leaveOut = leaveOut;
  }

  /** How many gradients are in of those that this pass, or the one that it repeats, adds. */
  get added(): number {
    return Math.max(this.#added, this.#leaveOut);
  }

  add(name: string, delta: Tensor): void {
    if (this.#added >= this.#leaveOut) {
      const sum = this.#byName.get(name);
      if (sum) this.#kernels.accumulate(sum, delta);
      else this.#byName.set(name, this.#kernels.keep(delta));
    }
    this.#added += 1;
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
