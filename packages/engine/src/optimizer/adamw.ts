import type { OptimizerResult, OptimizerSettings } from "@laconic/core";
import type { Kernels, Tensor } from "../kernels/index.ts";
import type { StoredMoments } from "../weights/model-folder.ts";
import { parameter, type ModelOnDevice } from "../transformer/model-on-device.ts";

interface Moments {
  readonly first: Tensor;
  readonly second: Tensor;
}

/** AdamW over a model's parameters (Loshchilov and Hutter 2019); moments are made at the first step. */
export class AdamW {
  readonly #kernels: Kernels;
  readonly #moments = new Map<string, Moments>();
  #step = 0;

  constructor(kernels: Kernels) {
    this.#kernels = kernels;
  }

  /** Steps taken. */
  get steps(): number {
    return this.#step;
  }

  /** First and second moments by parameter name. */
  get moments(): ReadonlyMap<string, Moments> {
    return this.#moments;
  }

  /** Clips by the global norm and steps; a norm that is not finite leaves everything as it was. Parameters without a gradient stay. */
  async step(
    model: ModelOnDevice,
    gradients: ReadonlyMap<string, Tensor>,
    settings: OptimizerSettings,
  ): Promise<OptimizerResult> {
    const kernels = this.#kernels;
    if (gradients.size === 0) return { gradNorm: 0, applied: false, step: this.#step };
    const total = kernels.sumSquares([...gradients.values()]);
    const gradNorm = Math.sqrt((await kernels.read(total))[0] as number);
    kernels.free(total);
    if (!Number.isFinite(gradNorm)) return { gradNorm, applied: false, step: this.#step };
    this.#step += 1;
    const gradScale = gradNorm > settings.maxGradNorm ? settings.maxGradNorm / gradNorm : 1;
    for (const [name, gradient] of gradients) {
      const weights = parameter(model, name);
      kernels.adamW(weights, gradient, this.#momentsOf(name, weights.shape), {
        learningRate: settings.learningRate,
        beta1: settings.beta1,
        beta2: settings.beta2,
        epsilon: settings.epsilon,
        // Norms and biases do not decay.
        weightDecay: weights.shape.length >= 2 ? settings.weightDecay : 0,
        step: this.#step,
        gradScale,
      });
    }
    return { gradNorm, applied: true, step: this.#step };
  }

  /** Continues from stored moments. */
  restore(steps: number, moments: ReadonlyMap<string, StoredMoments>): void {
    this.free();
    this.#step = steps;
    const upload = ({ values, shape }: StoredMoments["first"]): Tensor =>
      this.#kernels.keep(this.#kernels.upload(values, shape));
    for (const [name, { first, second }] of moments)
      this.#moments.set(name, { first: upload(first), second: upload(second) });
  }

  free(): void {
    for (const { first, second } of this.#moments.values()) this.#kernels.free(first, second);
    this.#moments.clear();
  }

  #momentsOf(name: string, shape: readonly number[]): Moments {
    let moments = this.#moments.get(name);
    if (!moments) {
      const make = (): Tensor => this.#kernels.keep(this.#kernels.zeros(shape));
      moments = { first: make(), second: make() };
      this.#moments.set(name, moments);
    }
    return moments;
  }
}
