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
import { checkTokens } from "../generation/check-requests.ts";
import { Gradients } from "../transformer/gradients.ts";
import { parseModelConfig } from "../transformer/model-config.ts";
import { freeModel, uploadModel, type ModelOnDevice } from "../transformer/model-on-device.ts";
import { packBatch, type PackedBatch } from "../transformer/packed-batch.ts";
import { initialParameters, parameterShapes } from "../transformer/parameters.ts";
import { trainBackward, trainForward, type Recompute, type TrainPass } from "../transformer/train-pass.ts";
import { readModelFolder, readTrainingState, writeModelFolder } from "../weights/model-folder.ts";
import type { GradientExchange, HostLogProbs } from "./engine-host.ts";
import { freeTree } from "./free-tree.ts";

/** A trainable model inside a host: weights, gradient, optimiser, frozen copies. */
export class HostedModel {
  readonly #kernels: Kernels;
  readonly #recompute: Recompute;
  readonly #configJson: Readonly<Record<string, unknown>>;
  readonly #gradients: Gradients;
  readonly #optimizer: AdamW;
  readonly #snapshots = new Map<number, ModelOnDevice>();
  readonly live: ModelOnDevice;
  #nextSnapshot = 0;
  #pending: TrainPass | null = null;

  private constructor(
    kernels: Kernels,
    recompute: Recompute,
    configJson: Readonly<Record<string, unknown>>,
    values: ReadonlyMap<string, Float32Array>,
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
    const { config, values } = await readModelFolder(source.path);
    return new HostedModel(kernels, recompute, config, values);
  }

  get parameters(): number {
    let total = 0;
    for (const tensor of this.live.parameters.values()) total += tensor.shape.reduce((product, n) => product * n, 1);
    return total;
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
    const batch = this.#pack(sequences);
    const model = this.weights(weights);
    const { logProbs, entropy } = this.#kernels.scope(() => {
      const pass = trainForward(model, batch, "layer");
      return { logProbs: pass.logProbs, entropy: pass.entropy };
    });
    const result = await this.#read(batch, logProbs, entropy);
    freeTree(this.#kernels, [batch, logProbs, entropy]);
    return result;
  }

  async forwardForGradient(sequences: readonly TrainingSequence[]): Promise<HostLogProbs> {
    this.#dropPending();
    const batch = this.#pack(sequences);
    this.#pending = this.#kernels.scope(() => trainForward(this.live, batch, this.#recompute));
    return this.#read(batch, this.#pending.logProbs, this.#pending.entropy);
  }

  backward(dLogProbs: Float64Array): void {
    const pass = this.#pending;
    if (!pass) throw new LaconicError("engine_failed", "backward was called without a forward pass");
    if (dLogProbs.length > 0)
      this.#kernels.scope(() => {
        trainBackward(this.live, pass, this.#kernels.upload(dLogProbs, [dLogProbs.length]), this.#gradients);
      });
    this.#dropPending();
  }

  /** Copies the gradient, zeros where a parameter has none, into this replica's slot; false when there is none at all. */
  async exportGradient(exchange: GradientExchange, replica: number): Promise<boolean> {
    const size = this.parameters;
    const slot = new Float32Array(exchange.buffer, 4 * size * replica, size);
    slot.fill(0);
    let at = 0;
    for (const [name, tensor] of this.live.parameters) {
      const gradient = this.#gradients.byName.get(name);
      if (gradient) slot.set(await this.#kernels.read(gradient), at);
      at += tensor.shape.reduce((product, n) => product * n, 1);
    }
    return this.#gradients.byName.size > 0;
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
    const read = async (tensor: Tensor): Promise<{ shape: readonly number[]; values: Float32Array }> => ({
      shape: tensor.shape,
      values: Float32Array.from(await this.#kernels.read(tensor)),
    });
    const weights = new Map<string, { shape: readonly number[]; values: Float32Array }>();
    for (const [name, tensor] of this.live.parameters) weights.set(name, await read(tensor));
    const moments = new Map<string, { shape: readonly number[]; values: Float32Array }>();
    for (const [name, { first, second }] of this.#optimizer.moments) {
      moments.set(`first.${name}`, await read(first));
      moments.set(`second.${name}`, await read(second));
    }
    return writeModelFolder(folder, this.#configJson, weights, { steps: this.#optimizer.steps, moments });
  }

  /** Replaces weights and optimiser state. A folder without optimiser state starts a fresh optimiser. */
  async load(folder: string): Promise<void> {
    const { values } = await readModelFolder(folder);
    const shapes = parameterShapes(this.live.config);
    const fresh = uploadModel(this.#kernels, this.live.config, values);
    const parameters = this.live.parameters as Map<string, Tensor>;
    this.#kernels.free(...parameters.values(), fresh.rotary.cos, fresh.rotary.sin);
    for (const name of shapes.keys()) parameters.set(name, fresh.parameters.get(name) as Tensor);
    const state = await readTrainingState(folder);
    this.#optimizer.restore(state?.steps ?? 0, state?.moments ?? new Map());
    this.#gradients.clear();
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
    const size = this.parameters;
    // Replicas add up in index order, so every replica computes the same bits.
    const sum = new Float32Array(exchange.buffer, 0, size).slice();
    for (let replica = 1; replica < exchange.replicas; replica++) {
      const slot = new Float32Array(exchange.buffer, 4 * size * replica, size);
      for (let i = 0; i < size; i++) sum[i] = (sum[i] as number) + (slot[i] as number);
    }
    let at = 0;
    for (const [name, tensor] of this.live.parameters) {
      const length = tensor.shape.reduce((product, n) => product * n, 1);
      this.#gradients.add(name, this.#kernels.upload(sum.subarray(at, at + length), tensor.shape));
      at += length;
    }
  }

  #pack(sequences: readonly TrainingSequence[]): PackedBatch {
    const { config } = this.live;
    sequences.forEach(({ promptTokens, completionTokens }, s) => {
      checkTokens(config, promptTokens, `sequence ${s}: prompt`);
      checkTokens(config, completionTokens, `sequence ${s}: completion`);
      const length = promptTokens.length + completionTokens.length;
      if (length - 1 > config.maxPositions)
        throw new LaconicError(
          "input_invalid",
          `sequence ${s} has ${length} tokens, the model holds ${config.maxPositions}`,
          { sequence: s },
        );
    });
    return packBatch(this.#kernels, sequences);
  }

  async #read(batch: PackedBatch, logProbs: Tensor, entropy: Tensor): Promise<HostLogProbs> {
    return {
      logProbs: Float64Array.from(await this.#kernels.read(logProbs)),
      entropy: Float64Array.from(await this.#kernels.read(entropy)),
      offsets: batch.predictionOffsets,
    };
  }

  #dropPending(): void {
    if (this.#pending) freeTree(this.#kernels, this.#pending);
    this.#pending = null;
  }
}
