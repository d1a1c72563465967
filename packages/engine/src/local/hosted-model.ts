import {
  LaconicError,
  randomFromSeed,
  type ModelSource,
  type OptimizerResult,
  type OptimizerSettings,
  type TrainingSequence,
} from "@laconic/core";
import type { Kernels, Tensor } from "../kernels/index.ts";
import { AdamW } from "../optimizer/adamw.ts";
import { Gradients } from "../transformer/gradients.ts";
import { parseModelConfig, type ModelConfig } from "../transformer/model-config.ts";
import { freeModel, uploadModel, type ModelOnDevice } from "../transformer/model-on-device.ts";
import { packBatch } from "../transformer/packed-batch.ts";
import { initialParameters } from "../transformer/parameters.ts";
import { trainBackward, trainForward, type Recompute, type TrainPass } from "../transformer/train-pass.ts";
import { fitTensor, fitWeights } from "../weights/fit-weights.ts";
import { readModelFolder, readTrainingState, writeModelFolder, type StoredMoments } from "../weights/model-folder.ts";
import type { TensorSource } from "../weights/safetensors-file.ts";
import type { HostLogProbs, ModelFacts } from "./engine-host.ts";
import { freeTree } from "./free-tree.ts";
import { clearSlot, parameterCount, slotViews, sumSlots, type GradientExchange } from "./gradient-exchange.ts";

/** A trainable model inside a host: weights, gradient, optimiser, frozen copies. */
export class HostedModel {
  readonly #kernels: Kernels;
  readonly #recompute: Recompute;
  readonly #configJson: Readonly<Record<string, unknown>>;
  readonly #gradients: Gradients;
  readonly #optimizer: AdamW;
  readonly #snapshots = new Map<number, ModelOnDevice>();
  live: ModelOnDevice;
  #nextSnapshot = 0;
  #pending: TrainPass | null = null;

  private constructor(
    kernels: Kernels,
    recompute: Recompute,
    configJson: Readonly<Record<string, unknown>>,
    values: ReadonlyMap<string, Float32Array | Float64Array>,
  ) {
    this.#kernels = kernels;
    this.#recompute = recompute;
    this.#configJson = configJson;
    this.live = uploadModel(kernels, parseModelConfig(configJson), values);
    this.#gradients = new Gradients(kernels);
    this.#optimizer = new AdamW(kernels);
  }

  static async open(kernels: Kernels, source: ModelSource, recompute: Recompute): Promise<HostedModel> {
    if (source.kind === "config") {
      const values = initialParameters(parseModelConfig(source.config), randomFromSeed(source.seed).split("weights"));
      return new HostedModel(kernels, recompute, source.config, values);
    }
    const { config, tensors } = await readModelFolder(source.path);
    return new HostedModel(kernels, recompute, config, fitWeights(parseModelConfig(config), tensors));
  }

  get facts(): ModelFacts {
    const { vocabularySize, maxPositions } = this.live.config;
    const limits = { vocabularySize, maxPositions };
    return { parameters: parameterCount(this.live), weightVersion: this.weightVersion, limits };
  }

  get weightVersion(): number {
    return this.#optimizer.steps;
  }

  weights(id: "live" | number): ModelOnDevice {
    if (id === "live") return this.live;
    const snapshot = this.#snapshots.get(id);
    if (!snapshot) throw new LaconicError("engine_failed", `snapshot ${id} was disposed`, { snapshot: id });
    return snapshot;
  }

  async forward(weights: "live" | number, sequences: readonly TrainingSequence[]): Promise<HostLogProbs> {
    if (sequences.every(isEmpty)) return emptyLogProbs(sequences.length);
    const model = this.weights(weights);
    const { logProbs, entropy, offsets } = this.#kernels.scope(() => {
      const pass = trainForward(model, packBatch(this.#kernels, sequences), "layer");
      return { logProbs: pass.logProbs, entropy: pass.entropy, offsets: pass.batch.predictionOffsets };
    });
    const result = await this.#read(logProbs, entropy, offsets);
    this.#kernels.free(logProbs, entropy);
    return result;
  }

  async forwardForGradient(sequences: readonly TrainingSequence[]): Promise<HostLogProbs> {
    this.#dropPending();
    if (sequences.every(isEmpty)) return emptyLogProbs(sequences.length);
    const pass = this.#kernels.scope(() =>
      trainForward(this.live, packBatch(this.#kernels, sequences), this.#recompute),
    );
    this.#pending = pass;
    return this.#read(pass.logProbs, pass.entropy, pass.batch.predictionOffsets);
  }

  backward(dLogProbs: Float64Array): void {
    if (dLogProbs.length === 0) return;
    const pass = this.#pending;
    if (!pass) throw new LaconicError("engine_failed", "backward was called without a forward pass");
    this.#kernels.scope(() => {
      trainBackward(this.live, pass, this.#kernels.upload(dLogProbs, [dLogProbs.length], "full"), this.#gradients);
    });
    this.#dropPending();
  }

  discardGradient(): void {
    this.#dropPending();
    this.#gradients.clear();
  }

  /** Copies the gradient into this replica's slot; false when there is none. */
  async exportGradient(exchange: GradientExchange, replica: number): Promise<boolean> {
    const gradients = this.#gradients.byName;
    if (gradients.size === 0) {
      clearSlot(exchange, replica);
      return false;
    }
    for (const { name, values } of slotViews(exchange, replica, this.live)) {
      const gradient = gradients.get(name);
      if (gradient) values.set(await this.#kernels.read(gradient));
      else values.fill(0);
    }
    return true;
  }

  async optimStep(settings: OptimizerSettings, exchange: GradientExchange | null): Promise<OptimizerResult> {
    if (exchange) this.#importGradient(exchange);
    const result = await this.#optimizer.step(this.live, this.#gradients.byName, settings);
    this.#gradients.clear();
    return result;
  }

  snapshot(): number {
    const parameters = new Map<string, Tensor>();
    for (const [name, tensor] of this.live.parameters)
      parameters.set(name, this.#kernels.keep(this.#kernels.copy(tensor)));
    const id = this.#nextSnapshot++;
    this.#snapshots.set(id, { ...this.live, parameters });
    return id;
  }

  disposeSnapshot(id: number): void {
    const snapshot = this.#snapshots.get(id);
    if (snapshot) this.#kernels.free(...snapshot.parameters.values());
    this.#snapshots.delete(id);
  }

  async save(folder: string): Promise<readonly string[]> {
    const kernels = this.#kernels;
    const source = (tensor: Tensor): TensorSource => ({
      shape: tensor.shape,
      read: async () => (await kernels.read(tensor)) as Float32Array | Float64Array,
    });
    const kept = this.#optimizer.moments;
    const weights = new Map(
      Array.from(this.live.parameters, ([name, tensor]) => [name, source(kept.get(name)?.master ?? tensor)]),
    );
    const moments = new Map(
      Array.from(kept, ([name, { first, second }]) => [name, { first: source(first), second: source(second) }]),
    );
    return writeModelFolder(folder, {
      config: this.#configJson,
      weights,
      steps: this.#optimizer.steps,
      moments,
      dtype: kernels.dtype === "float64" ? "F64" : "F32",
    });
  }

  /**
   * Replaces weights and optimiser state; whatever is wrong with the folder is found before anything changes.
   * A folder without optimiser state starts a fresh optimiser.
   */
  async load(folder: string): Promise<void> {
    const { config, tensors } = await readModelFolder(folder);
    expectSameModel(this.live.config, parseModelConfig(config), folder);
    const values = fitWeights(this.live.config, tensors);
    const state = await readTrainingState(folder);
    fitMoments(this.live, state?.moments ?? new Map());

    this.discardGradient();
    this.#optimizer.restore(state?.steps ?? 0, state?.moments ?? new Map(), values);
    const parameters = new Map<string, Tensor>();
    for (const [name, tensor] of this.live.parameters) {
      this.#kernels.free(tensor);
      const loaded = values.get(name) as Float32Array | Float64Array;
      parameters.set(name, this.#kernels.keep(this.#kernels.upload(loaded, tensor.shape)));
    }
    this.live = { ...this.live, parameters };
  }

  dispose(): void {
    this.#dropPending();
    this.#gradients.clear();
    this.#optimizer.free();
    for (const id of [...this.#snapshots.keys()]) this.disposeSnapshot(id);
    freeModel(this.live);
  }

  #importGradient(exchange: GradientExchange): void {
    this.#gradients.clear();
    sumSlots(exchange, this.live, (name, sum, shape) =>
      this.#gradients.add(name, this.#kernels.upload(sum, shape, "full")),
    );
  }

  async #read(logProbs: Tensor, entropy: Tensor, offsets: Int32Array): Promise<HostLogProbs> {
    return {
      logProbs: Float64Array.from(await this.#kernels.read(logProbs)),
      entropy: Float64Array.from(await this.#kernels.read(entropy)),
      offsets,
    };
  }

  #dropPending(): void {
    if (this.#pending) freeTree(this.#kernels, this.#pending);
    this.#pending = null;
  }
}

function isEmpty({ completionTokens }: TrainingSequence): boolean {
  return completionTokens.length === 0;
}

function emptyLogProbs(sequences: number): HostLogProbs {
  return { logProbs: new Float64Array(), entropy: new Float64Array(), offsets: new Int32Array(sequences + 1) };
}

/** @throws LaconicError `weights_invalid` naming the setting in which the folder's model is another one. */
function expectSameModel(live: ModelConfig, stored: ModelConfig, folder: string): void {
  // The spread of fresh weights says nothing about trained ones.
  const { initializerRange: _, ...settings } = live;
  for (const [key, value] of Object.entries(settings)) {
    const found = stored[key as keyof ModelConfig];
    if (JSON.stringify(found) !== JSON.stringify(value))
      throw new LaconicError(
        "weights_invalid",
        `${folder}: ${key} is ${JSON.stringify(found)}, the model has ${JSON.stringify(value)}`,
        { folder, key },
      );
  }
}

/** @throws LaconicError `weights_invalid` naming the moment that does not fit a parameter. */
function fitMoments(model: ModelOnDevice, moments: ReadonlyMap<string, StoredMoments>): void {
  for (const [name, { first, second }] of moments) {
    const shape = model.parameters.get(name)?.shape;
    if (!shape)
      throw new LaconicError("weights_invalid", `tensor first.${name} does not belong to this model`, { tensor: name });
    fitTensor(`first.${name}`, shape, first);
    fitTensor(`second.${name}`, shape, second);
  }
}
