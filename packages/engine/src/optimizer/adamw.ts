import type { OptimizerResult, OptimizerSettings } from "@laconic/core";
import type { AdamWMoments, Kernels, Tensor } from "@laconic/kernels";
import type { StoredMoments } from "../weights/model-folder.ts";
import type { TensorSource } from "../weights/safetensors-file.ts";
import { trainable, type ModelOnDevice } from "../transformer/model-on-device.ts";

/** AdamW over a model's parameters (Loshchilov and Hutter 2019); moments are made at the first step. */
export class AdamW {
  readonly #kernels: Kernels;
  readonly #moments = new Map<string, AdamWMoments>();
  #step = 0;

  constructor(kernels: Kernels) {
    this.#kernels = kernels;
  }

  /** Steps taken. */
  get steps(): number {
    return this.#step;
  }

  /** Moments and master weights by parameter name. */
  get moments(): ReadonlyMap<string, AdamWMoments> {
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
    const gradScale = gradNorm > settings.maxGradNorm ? settings.maxGradNorm / gradNorm : 1;
    const trained = trainable(model);
    // All moments are there before a weight moves: a device that runs out of memory leaves the model as it was.
    for (const name of gradients.keys()) this.#momentsOf(name, trained.get(name) as Tensor);
    this.#step += 1;
    for (const [name, gradient] of gradients) {
      const weights = trained.get(name) as Tensor;
      kernels.adamW(weights, gradient, this.#momentsOf(name, weights), {
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

  /** Continues from stored moments; `weights` are the stored parameters, from which masters are made where the device needs them. */
  async restore(
    steps: number,
    moments: ReadonlyMap<string, StoredMoments>,
    weights: ReadonlyMap<string, TensorSource>,
  ): Promise<void> {
    this.free();
    this.#step = steps;
    const upload = async ({ shape, read }: TensorSource): Promise<Tensor> =>
      this.#kernels.keep(this.#kernels.upload(await read(), shape, "full"));
    for (const [name, { first, second }] of moments) {
      const stored = weights.get(name);
      this.#moments.set(name, {
        first: await upload(first),
        second: await upload(second),
        ...(stored && this.#needsMaster && { master: await upload(stored) }),
      });
    }
  }

  free(): void {
    for (const { first, second, master } of this.#moments.values())
      this.#kernels.free(first, second, ...(master ? [master] : []));
    this.#moments.clear();
  }

  get #needsMaster(): boolean {
    return this.#kernels.dtype === "bfloat16";
  }

  #momentsOf(name: string, weights: Tensor): AdamWMoments {
    const kernels = this.#kernels;
    let moments = this.#moments.get(name);
    if (!moments) {
      const make = (): Tensor => kernels.keep(kernels.zeros(weights.shape, "full"));
      moments = {
        first: make(),
        second: make(),
        ...(this.#needsMaster && { master: kernels.keep(kernels.copy(weights, "full")) }),
      };
      this.#moments.set(name, moments);
    }
    return moments;
  }
}
