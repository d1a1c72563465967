import { LaconicError } from "@laconic/core";
import type { DeviceMemory, Kernels } from "../../kernels/index.ts";
import { SharedBases } from "../hosted-model/base-weights.ts";
import { HostedModel, type HostedModelOptions } from "../hosted-model/hosted-model.ts";
import { sumShare, type GradientExchange } from "../replicas/gradient-exchange.ts";
import type { EngineHost, HostCapabilities, ModelMethod } from "./protocol.ts";
import type { HostSource, ModelFacts } from "../hosted-model/model-types.ts";

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

  async describe(): Promise<HostCapabilities> {
    const { device, backend, dtype, deterministic, batchInvariant } = this.#kernels;
    return { device, backend, dtype, deterministic, batchInvariant };
  }

  async create(model: number, source: HostSource): Promise<ModelFacts> {
    const hosted =
      source.kind === "scalar" || source.kind === "scalar-on"
        ? await HostedModel.openScalar(this.#kernels, source, this.#options, (trunk) => this.#model(trunk).live)
        : await HostedModel.open(this.#kernels, source, this.#options, this.#bases);
    this.#models.set(model, hosted);
    return hosted.facts;
  }

  async call<M extends ModelMethod>(
    model: number,
    method: M,
    ...args: Parameters<HostedModel[M]>
  ): Promise<Awaited<ReturnType<HostedModel[M]>>> {
    // Frees memory, and makes resumed runs identical.
    if (method === "forwardForGradient") for (const hosted of this.#models.values()) hosted.releaseKept();
    const hosted = this.#model(model);
    // The compiler cannot relate method and arguments.
    const run = hosted[method] as (...args: Parameters<HostedModel[M]>) => ReturnType<HostedModel[M]>;
    return await run.apply(hosted, args);
  }

  async sumGradients(exchange: GradientExchange, replica: number): Promise<void> {
    sumShare(exchange, replica);
  }

  async disposeModel(model: number): Promise<void> {
    this.#models.get(model)?.dispose();
    this.#models.delete(model);
  }

  async memory(): Promise<DeviceMemory | null> {
    return this.#kernels.memory();
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
