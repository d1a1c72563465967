import { LaconicError, randomFromSeed, present } from "@laconic/core";
import type {
  AdapterSource,
  ForwardOptions,
  LoraSettings,
  ModelSource,
  OptimizerResult,
  OptimizerSettings,
  SampleRequest,
  SampleResult,
  TrainingSequence,
} from "@laconic/core";
import type { ModelFiles } from "@laconic/core/files";
import type { DrawnListener } from "../../generation/draw.ts";
import { RunningBatch, type GenerationLimits } from "../../generation/running-batch.ts";
import { sizeOf, type AdamWMoments, type Kernels, type Tensor } from "../../kernels/index.ts";
import { adapterOf, trainable, type ModelOnDevice } from "../../transformer/model-on-device.ts";
import { adapterShapes, checkLora, initialAdapter } from "../../lora/lora-settings.ts";
import { openPeftFolder } from "../../lora/peft-folder.ts";
import { AdamW } from "../../optimizer/adamw.ts";
import { Gradients } from "../../transformer/gradients.ts";
import type { ModelConfig } from "../../transformer/model-config.ts";
import { elementCount, parameterShapes, type TensorSource } from "../../transformer/parameters.ts";
import {
  allocateTogether,
  copyTogether,
  readPart,
  shapesOf,
  storedParts,
  writeValues,
  writeSources,
} from "../../transformer/weight-layout.ts";
import { fitSource } from "../../weights/fit-weights.ts";
import { openTrainingState, type StoredMoments } from "../../weights/model-folder.ts";
import { openBase, type BaseWeights, type SharedBases, headOn, openScalarBase } from "./base-weights.ts";
import { slotViews, type GradientExchange } from "../replicas/gradient-exchange.ts";
import { isEmpty, noOutputs, outputsOf } from "./outputs.ts";
import type { HostOutputs, HostSettings, HostSource, ModelFacts, WeightsId } from "./model-types.ts";
import { adapterOnly, headOnly, wholeModel, type StoredForm } from "./stored-form.ts";
import { TrainingPasses, type LiveModel } from "./training-passes.ts";

export interface HostedModelOptions extends HostSettings {
  readonly files: ModelFiles;
}

export class HostedModel {
  readonly #kernels: Kernels;
  readonly #base: BaseWeights;
  readonly #form: StoredForm;
  readonly #gradients: Gradients;
  readonly #optimizer: AdamW;
  readonly #passes: TrainingPasses;
  readonly #snapshots = new Map<number, ModelOnDevice>();
  readonly #limits: Partial<GenerationLimits>;
  readonly #files: ModelFiles;
  readonly #sharePrefixes: boolean;
  readonly #batches = new Map<WeightsId, RunningBatch>();
  live: ModelOnDevice;
  #nextSnapshot = 0;

  private constructor(
    base: BaseWeights,
    live: ModelOnDevice,
    form: StoredForm,
    { recompute, optimizer, sharePrefixes, limits, files }: HostedModelOptions,
    seed: string,
  ) {
    this.#sharePrefixes = sharePrefixes;
    this.#limits = limits;
    this.#files = files;
    this.#kernels = live.kernels;
    this.#base = base;
    this.#form = form;
    this.live = live;
    this.#gradients = new Gradients(live.kernels);
    this.#optimizer = new AdamW(live.kernels, optimizer);
    const gradients = this.#gradients;
    const state = (): LiveModel => ({ live: this.live, steps: this.#optimizer.steps });
    this.#passes = new TrainingPasses({ recompute, sharePrefixes, dropoutSeed: seed, gradients, state });
  }

  /** @param bases - frozen weights shared by adapters */
  static async open(
    kernels: Kernels,
    source: ModelSource,
    options: HostedModelOptions,
    bases: SharedBases,
  ): Promise<HostedModel> {
    if (source.kind === "config" || source.kind === "folder") {
      const base = await openBase(kernels, source, options.files);
      const form = wholeModel(options.files, base.model.config, base.configJson);
      return new HostedModel(base, base.model, form, options, "");
    }
    if (source.kind === "adapter") checkLora(source.lora);
    const base = await bases.acquire(source.base);
    try {
      const { settings, values } = await readAdapter(options.files, source, base.model.config);
      const matrices = allocateTogether(kernels, adapterShapes(base.model.config, settings));
      for (const [name, tensor] of matrices) writeValues(kernels, tensor, values.get(name) as Float32Array);
      const live = { ...base.model, adapter: adapterOf(settings, matrices) };
      const form = adapterOnly(options.files, live, source.base.kind === "folder" ? source.base.path : null);
      const seed = source.kind === "adapter" ? String(source.seed) : source.path;
      return new HostedModel(base, live, form, options, seed);
    } catch (error) {
      base.release();
      throw error;
    }
  }

  /** @param liveOf - another model's weights */
  static async openScalar(
    kernels: Kernels,
    source: Extract<HostSource, { readonly kind: "scalar" | "scalar-on" }>,
    options: HostedModelOptions,
    liveOf: (model: number) => ModelOnDevice,
  ): Promise<HostedModel> {
    const { files } = options;
    const base =
      source.kind === "scalar-on"
        ? headOn(liveOf(source.model))
        : await openScalarBase(kernels, source.layers, files, source.trainsHeadAlone);
    const { model, configJson } = base;
    const form = model.trainsHeadAlone ? headOnly(files, model) : wholeModel(files, model.config, configJson);
    return new HostedModel(base, model, form, options, "");
  }

  get facts(): ModelFacts {
    const { vocabularySize, maxPositions } = this.live.config;
    const limits = { vocabularySize, maxPositions };
    const adapted = elementCount(shapesOf(this.live.adapter?.matrices ?? new Map()));
    const { hasStoredHead } = this.#base;
    return {
      parameters: elementCount(shapesOf(this.live.parameters)) + adapted,
      trainableParameters: elementCount(shapesOf(trainable(this.live))),
      weightVersion: this.weightVersion,
      limits,
      ...present({ hasStoredHead }),
    };
  }

  get weightVersion(): number {
    return this.#optimizer.steps;
  }

  weights(id: WeightsId): ModelOnDevice {
    if (id === "live") return this.live;
    const snapshot = this.#snapshots.get(id);
    if (!snapshot) throw new LaconicError("engine_failed", `snapshot ${id} was disposed`, { snapshot: id });
    return snapshot;
  }

  /** `call` identifies it for `cancel`. */
  sample(
    weights: WeightsId,
    requests: readonly SampleRequest[],
    call: number,
    onDrawn?: DrawnListener,
  ): Promise<SampleResult[]> {
    const batch = this.#batches.get(weights) ?? new RunningBatch(this.weights(weights), this.#limits);
    this.#batches.set(weights, batch);
    return batch.sample(requests, call, onDrawn);
  }

  cancel(call: number, index: number): void {
    for (const batch of this.#batches.values()) batch.cancel(call, index);
  }

  releaseKept(): void {
    for (const batch of this.#batches.values()) batch.releaseKept();
  }

  async forward(
    weights: WeightsId,
    sequences: readonly TrainingSequence[],
    options: ForwardOptions,
  ): Promise<HostOutputs> {
    const micro = { sequences, numbers: [...sequences.keys()] };
    return outputsOf(this.weights(weights), micro, { ...options, shared: this.#sharePrefixes });
  }

  /**
   * Keeps what `backward` needs.
   * @param numbers - since the last optimizer step, for dropout seeds
   */
  async forwardForGradient(sequences: readonly TrainingSequence[], numbers: readonly number[]): Promise<HostOutputs> {
    this.#passes.drop();
    if (sequences.every(isEmpty)) return noOutputs(sequences.length);
    return this.#passes.forward({ sequences, numbers });
  }

  /**
   * Adds the gradient of the kept pass.
   * @returns tokens of the largest part that fitted; null if all did
   */
  backward(dOutputs: Float64Array): number | null {
    return dOutputs.length === 0 ? null : this.#passes.backward(dOutputs);
  }

  discardGradient(): void {
    this.#passes.drop();
    this.#gradients.clear();
  }

  /** @returns false without a gradient */
  async exportGradient(exchange: GradientExchange, replica: number): Promise<boolean> {
    const gradients = this.#gradients.byName;
    for (const { name, values } of slotViews(exchange, replica, this.live)) {
      const gradient = gradients.get(name);
      if (gradient) values.set(await this.#kernels.read(gradient));
      else values.fill(0);
    }
    return gradients.size > 0;
  }

  /** Steps on the sum of all slots, or without exchange on the local gradient. */
  async optimStep(settings: OptimizerSettings, exchange: GradientExchange | null): Promise<OptimizerResult> {
    this.#endBatch("live");
    if (exchange) this.#importGradient(exchange);
    const result = await this.#optimizer.step(this.live, this.#gradients.byName, settings);
    this.#gradients.clear();
    return result;
  }

  snapshot(): { readonly snapshot: number; readonly weightVersion: number } {
    const copies = copyTogether(this.#kernels, trainable(this.live));
    const id = this.#nextSnapshot++;
    this.#snapshots.set(id, withTrained(this.live, copies));
    return { snapshot: id, weightVersion: this.weightVersion };
  }

  disposeSnapshot(id: number): void {
    const snapshot = this.#snapshots.get(id);
    this.#endBatch(id);
    if (snapshot) this.#kernels.free(...trainable(snapshot).values());
    this.#snapshots.delete(id);
  }

  async save(folder: string): Promise<readonly string[]> {
    const kernels = this.#kernels;
    const trained = trainable(this.live);
    const weights = new Map<string, TensorSource>();
    const moments = new Map<string, StoredMoments>();
    for (const { name, shape, held, start } of storedParts(storedShapes(this.live))) {
      const state = (kind: keyof AdamWMoments): TensorSource | null => this.#optimizer.source(held, kind, start, shape);
      const rounded = { shape, read: () => readPart(kernels, trained.get(held)!, start, shape) };
      weights.set(name, state("master") ?? rounded);
      const [first, second] = [state("first"), state("second")];
      if (first && second) moments.set(name, { first, second });
    }
    return this.#form.write(folder, {
      weights,
      steps: this.#optimizer.steps,
      moments,
      dtype: kernels.dtype === "float64" ? "F64" : "F32",
    });
  }

  /** Finds errors before anything changes. Without stored state, the optimizer is reset. */
  async load(folder: string): Promise<{ readonly weightVersion: number }> {
    const stored = await this.#form.open(folder);
    try {
      const state = await openTrainingState(this.#files, folder);
      try {
        await this.#restore(stored.tensors, state?.steps ?? 0, fitMoments(this.live, state?.moments ?? new Map()));
      } finally {
        await state?.close();
      }
    } finally {
      await stored.close();
    }
    return { weightVersion: this.weightVersion };
  }

  dispose(): void {
    this.#endBatch("live");
    this.#passes.drop();
    this.#gradients.clear();
    this.#optimizer.free();
    for (const id of Array.from(this.#snapshots.keys())) this.disposeSnapshot(id);
    const { adapter, trainsHeadAlone } = this.live;
    // Value heads on a policy do not own its adapter.
    if (adapter && !trainsHeadAlone) this.#kernels.free(...adapter.matrices.values());
    this.#base.release();
  }

  #endBatch(weights: WeightsId): void {
    this.#batches.get(weights)?.releaseKept();
    this.#batches.delete(weights);
  }

  async #restore(
    weights: ReadonlyMap<string, TensorSource>,
    steps: number,
    moments: ReadonlyMap<string, StoredMoments>,
  ): Promise<void> {
    // The first read finds damaged files before the model changes. Each read holds one tensor.
    for (const source of [...weights.values(), ...Array.from(moments.values(), Object.values).flat()])
      await source.read();

    this.discardGradient();
    this.#endBatch("live");
    await this.#optimizer.restore(this.live, steps, moments, weights);
    await writeSources(this.#kernels, trainable(this.live), weights);
  }

  #importGradient(exchange: GradientExchange): void {
    this.#gradients.clear();
    for (const { name, shape, values } of slotViews(exchange, 0, this.live))
      this.#kernels.scope(() => {
        // Native code does not accept shared memory.
        this.#gradients.add(this.live, name, this.#kernels.upload(values.slice(), shape, "full"));
      });
  }
}

function withTrained(model: ModelOnDevice, tensors: ReadonlyMap<string, Tensor>): ModelOnDevice {
  const { adapter } = model;
  return adapter ? { ...model, adapter: adapterOf(adapter.settings, tensors) } : { ...model, parameters: tensors };
}

function storedShapes(model: ModelOnDevice): ReadonlyMap<string, readonly number[]> {
  const { adapter, config, trainsHeadAlone } = model;
  if (trainsHeadAlone) return shapesOf(trainable(model));
  return adapter ? shapesOf(adapter.matrices) : parameterShapes(config);
}

async function readAdapter(
  files: ModelFiles,
  source: AdapterSource,
  config: ModelConfig,
): Promise<{ settings: LoraSettings; values: ReadonlyMap<string, Float32Array | Float64Array> }> {
  if (source.kind === "adapter-folder") {
    const { settings, tensors, close } = await openPeftFolder(files, source.path, config);
    try {
      const values = new Map<string, Float32Array | Float64Array>();
      for (const [name, { read }] of tensors) values.set(name, await read());
      return { settings, values };
    } finally {
      await close();
    }
  }
  const random = randomFromSeed(source.seed).split("adapter");
  return { settings: source.lora, values: initialAdapter(config, source.lora, random) };
}

/** Missing moments are zeros. */
function fitMoments(
  model: ModelOnDevice,
  moments: ReadonlyMap<string, StoredMoments>,
): ReadonlyMap<string, StoredMoments> {
  const shapes = storedShapes(model);
  for (const name of moments.keys())
    if (!shapes.has(name))
      throw new LaconicError("weights_invalid", `tensor first.${name} does not belong to this model`, { tensor: name });
  if (moments.size === 0) return moments;
  const fitted = Array.from(shapes, ([name, shape]): [string, StoredMoments] => {
    const zeros = { shape, read: async () => new Float32Array(sizeOf(shape)) };
    const { first, second } = moments.get(name) ?? { first: zeros, second: zeros };
    return [
      name,
      { first: fitSource(`first.${name}`, shape, first), second: fitSource(`second.${name}`, shape, second) },
    ];
  });
  return new Map(fitted);
}
