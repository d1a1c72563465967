import { randomFromSeed, type BaseSource } from "@laconic/core";
import type { Kernels } from "../kernels/index.ts";
import { parseModelConfig } from "../transformer/model-config.ts";
import { freeModel, uploadModel, type ModelOnDevice } from "../transformer/model-on-device.ts";
import { initialParameters } from "../transformer/parameters.ts";
import { fitWeights } from "../weights/fit-weights.ts";
import { readModelFolder } from "../weights/model-folder.ts";

/** A model as its source gives it, without anything trained. */
export interface BaseWeights {
  readonly configJson: Readonly<Record<string, unknown>>;
  readonly model: ModelOnDevice;
  /** Gives the weights up; the last of their users frees them. */
  release(): void;
}

/** @throws LaconicError `model_unsupported`, `checkpoint_missing`, `weights_invalid`. */
export async function openBase(kernels: Kernels, source: BaseSource): Promise<BaseWeights> {
  const { configJson, values } = await readSource(source);
  const model = uploadModel(kernels, parseModelConfig(configJson), values);
  return { configJson, model, release: () => freeModel(model) };
}

async function readSource(source: BaseSource): Promise<{
  configJson: Readonly<Record<string, unknown>>;
  values: ReadonlyMap<string, Float32Array | Float64Array>;
}> {
  if (source.kind === "config") {
    const random = randomFromSeed(source.seed).split("weights");
    return { configJson: source.config, values: initialParameters(parseModelConfig(source.config), random) };
  }
  const { config, tensors } = await readModelFolder(source.path);
  return { configJson: config, values: fitWeights(parseModelConfig(config), tensors) };
}

/** Frozen weights under any number of adapters: equal sources are opened once. */
export class SharedBases {
  readonly #kernels: Kernels;
  readonly #open = new Map<string, { readonly base: Promise<BaseWeights>; users: number }>();

  constructor(kernels: Kernels) {
    this.#kernels = kernels;
  }

  async acquire(source: BaseSource): Promise<BaseWeights> {
    const key = JSON.stringify(source);
    const entry = this.#open.get(key) ?? { base: openBase(this.#kernels, source), users: 0 };
    this.#open.set(key, entry);
    entry.users += 1;
    const release = (): boolean => {
      entry.users -= 1;
      return entry.users === 0 && this.#open.delete(key);
    };
    try {
      const base = await entry.base;
      return { ...base, release: () => (release() ? base.release() : undefined) };
    } catch (error) {
      release();
      throw error;
    }
  }
}
