import type { OptimizerResult, OptimizerSettings } from "@laconic/core";
import { roundsWeights, type AdamWMoments, type AdamWTensors, type Kernels, type Tensor } from "../kernels/index.ts";
import type { StoredMoments } from "../weights/model-folder.ts";
import type { TensorSource } from "../transformer/parameters.ts";
import { trainable, type ModelOnDevice } from "../transformer/model-on-device.ts";
import { allocateTogether, copyTogether, shapesOf, writeSources } from "../transformer/weight-layout.ts";
import { muonStep } from "./muon.ts";

/** AdamW (Loshchilov and Hutter 2019), with Muon for the matrices of layers if set. */
export class AdamW {
  readonly #kernels: Kernels;
  #moments: ReadonlyMap<string, AdamWMoments> = new Map();
  #step = 0;

  constructor(kernels: Kernels) {
    this.#kernels = kernels;
  }

  get steps(): number {
    return this.#step;
  }

  get moments(): ReadonlyMap<string, AdamWMoments> {
    return this.#moments;
  }

  /** A non-finite norm changes nothing; parameters without a gradient are skipped. */
  async step(
    model: ModelOnDevice,
    gradients: ReadonlyMap<string, Tensor>,
    settings: OptimizerSettings,
  ): Promise<OptimizerResult> {
    const kernels = this.#kernels;
    if (gradients.size === 0) return { gradNorm: 0, applied: false, step: this.#step };
    const trained = trainable(model);
    // First, so that running out of memory leaves the model intact.
    const fresh = this.#moments.size === 0;
    if (fresh) this.#moments = this.#freshMoments(trained);
    const squares = kernels.sumSquares([...gradients.values()]);
    const { muon } = settings;
    const byMuon: AdamWTensors[] = [];
    const tensors: AdamWTensors[] = [];
    for (const [name, grad] of gradients) {
      const param = trained.get(name) as Tensor;
      const isMuon = muon !== undefined && name.includes("layers.") && param.shape.length === 2;
      (isMuon ? byMuon : tensors).push({ ...(this.#moments.get(name) as AdamWMoments), param, grad });
    }
    const { learningRate, beta1, beta2, epsilon, maxGradNorm } = settings;
    const update = (some: readonly AdamWTensors[], weightDecay: number): void =>
      kernels.adamW(some, {
        learningRate,
        beta1,
        beta2,
        epsilon,
        weightDecay,
        step: this.#step + 1,
        clip: { squares, maxNorm: maxGradNorm },
      });
    // Norms and biases do not decay.
    const decays = ({ param }: AdamWTensors): boolean => param.shape.length >= 2;
    if (settings.weightDecay === 0) update(tensors, 0);
    else {
      update(tensors.filter(decays), settings.weightDecay);
      update(
        tensors.filter((tensor) => !decays(tensor)),
        0,
      );
    }
    // The device skips a non-finite update by itself.
    const gradNorm = Math.sqrt((await kernels.read(squares))[0] as number);
    kernels.free(squares);
    const applied = Number.isFinite(gradNorm);
    if (applied && muon !== undefined)
      await muonStep(kernels, byMuon, { learningRate: muon, weightDecay: settings.weightDecay });
    if (applied) this.#step += 1;
    else if (fresh) this.free();
    return { gradNorm, applied, step: this.#step };
  }

  /** Makes master weights from `weights` if needed. */
  async restore(
    model: ModelOnDevice,
    steps: number,
    moments: ReadonlyMap<string, StoredMoments>,
    weights: ReadonlyMap<string, TensorSource>,
  ): Promise<void> {
    this.free();
    this.#step = steps;
    if (moments.size === 0) return;
    const kernels = this.#kernels;
    this.#moments = this.#freshMoments(trainable(model));
    const write = (kind: keyof AdamWMoments, sources: ReadonlyMap<string, TensorSource>): Promise<void> => {
      const tensors = new Map(
        Array.from(this.#moments, ([name, adamWMoments]) => [name, adamWMoments[kind] as Tensor]),
      );
      return writeSources(kernels, tensors, sources);
    };
    for (const kind of ["first", "second"] as const)
      await write(kind, new Map(Array.from(moments, ([name, storedMoments]) => [name, storedMoments[kind]])));
    if (this.#needsMaster) await write("master", weights);
  }

  free(): void {
    for (const { first, second, master } of this.#moments.values())
      this.#kernels.free(first, second, ...(master ? [master] : []));
    this.#moments = new Map();
  }

  get #needsMaster(): boolean {
    return roundsWeights(this.#kernels.dtype);
  }

  #freshMoments(trained: ReadonlyMap<string, Tensor>): Map<string, AdamWMoments> {
    const kernels = this.#kernels;
    const made: Map<string, Tensor>[] = [];
    try {
      made.push(allocateTogether(kernels, shapesOf(trained), "full"));
      made.push(allocateTogether(kernels, shapesOf(trained), "full"));
      if (this.#needsMaster) made.push(copyTogether(kernels, trained, "full"));
    } catch (error) {
      for (const tensors of made) kernels.free(...tensors.values());
      throw error;
    }
    const [first, second, masters] = made as [Map<string, Tensor>, Map<string, Tensor>, Map<string, Tensor>?];
    return new Map(
      Array.from(trained.keys(), (name) => {
        const master = masters?.get(name);
        const moments = { first: first.get(name) as Tensor, second: second.get(name) as Tensor };
        return [name, { ...moments, ...(master && { master }) }];
      }),
    );
  }
}
