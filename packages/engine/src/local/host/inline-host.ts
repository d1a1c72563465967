import {
  LaconicError,
  type EngineCapabilities,
  type ForwardOptions,
  type OptimizerResult,
  type OptimizerSettings,
  type SampleRequest,
  type SampleResult,
  type TrainingSequence,
} from "@laconic/core";
import type { DrawnListener } from "../../generation/drawn-tokens.ts";
import type { Kernels } from "../../kernels/index.ts";
import { SharedBases } from "../hosted-model/base-weights.ts";
import type { EngineHost, HostCapability, HostOutputs, HostSource, ModelFacts, WeightsId } from "./engine-host.ts";
import { sumShare, type GradientExchange } from "../replicas/gradient-exchange.ts";
import { HostedModel, type HostedModelOptions } from "../hosted-model/hosted-model.ts";

/** An engine replica on the calling thread. The worker wraps one; tests and small programs use one directly. */
export class InlineHost implements EngineHost {
  readonly #kernels: Kernels;
  readonly #options: HostedModelOptions;
  readonly #bases: SharedBases;
  readonly #models = new Map<number, HostedModel>();

  constructor(kernels: Kernels, options: HostedModelOptions) {
    this.#kernels = kernels;
    this.#options = options;
    this.#bases = new SharedBases(kernels, options.files);
  }

  async describe(): Promise<Pick<EngineCapabilities, HostCapability>> {
    const { device, backend, dtype, deterministic, batchInvariant } = this.#kernels;
    return { device, backend, dtype, deterministic, batchInvariant };
  }

  async create(model: number, source: HostSource): Promise<ModelFacts> {
    const hosted =
      source.kind === "scalar" || source.kind === "scalar-on"
        ? await HostedModel.openScalar(this.#kernels, source, this.#options, (of) => this.#model(of).live)
        : await HostedModel.open(this.#kernels, source, this.#options, this.#bases);
    this.#models.set(model, hosted);
    return hosted.facts;
  }

  async forward(
    model: number,
    weights: WeightsId,
    sequences: readonly TrainingSequence[],
    options: ForwardOptions,
  ): Promise<HostOutputs> {
    return this.#model(model).forward(weights, sequences, options);
  }

  async forwardForGradient(
    model: number,
    sequences: readonly TrainingSequence[],
    numbers: readonly number[],
  ): Promise<HostOutputs> {
    // Training needs the memory, and what runs next is then the same whether or not the run was interrupted before.
    for (const each of this.#models.values()) each.releaseKept();
    return this.#model(model).forwardForGradient({ sequences, numbers });
  }

  async backward(model: number, dOutputs: Float64Array): Promise<number | null> {
    return this.#model(model).backward(dOutputs);
  }

  async discardGradient(model: number): Promise<void> {
    this.#model(model).discardGradient();
  }

  async exportGradient(model: number, exchange: GradientExchange, replica: number): Promise<boolean> {
    return this.#model(model).exportGradient(exchange, replica);
  }

  async sumGradients(exchange: GradientExchange, replica: number): Promise<void> {
    sumShare(exchange, replica);
  }

  async optimStep(
    model: number,
    settings: OptimizerSettings,
    exchange: GradientExchange | null,
  ): Promise<OptimizerResult> {
    return this.#model(model).optimStep(settings, exchange);
  }

  async sample(
    model: number,
    weights: WeightsId,
    requests: readonly SampleRequest[],
    call: number,
    onDrawn?: DrawnListener,
  ): Promise<SampleResult[]> {
    return this.#model(model).sample(weights, requests, call, onDrawn);
  }

  async cancel(model: number, call: number, place: number): Promise<void> {
    this.#models.get(model)?.cancel(call, place);
  }

  async snapshot(model: number): Promise<{ snapshot: number; weightVersion: number }> {
    const hosted = this.#model(model);
    return { snapshot: hosted.snapshot(), weightVersion: hosted.weightVersion };
  }

  async disposeSnapshot(model: number, snapshot: number): Promise<void> {
    this.#model(model).disposeSnapshot(snapshot);
  }

  async save(model: number, folder: string): Promise<readonly string[]> {
    return this.#model(model).save(folder);
  }

  async load(model: number, folder: string): Promise<{ weightVersion: number }> {
    const hosted = this.#model(model);
    await hosted.load(folder);
    return { weightVersion: hosted.weightVersion };
  }

  async disposeModel(model: number): Promise<void> {
    this.#models.get(model)?.dispose();
    this.#models.delete(model);
  }

  async close(): Promise<void> {
    this.#kernels.dispose();
  }

  #model(model: number): HostedModel {
    const hosted = this.#models.get(model);
    if (!hosted) throw new LaconicError("engine_failed", `model ${model} does not exist or was disposed`, { model });
    return hosted;
  }
}
