import { randomFromSeed, type BaseSource } from "@laconic/core";
import type { ModelFiles } from "@laconic/core/files";
import type { Kernels } from "../../kernels/index.ts";
import { parseModelConfig } from "../../transformer/model-config.ts";
import { freeModel, modelOf, type ModelOnDevice } from "../../transformer/model-on-device.ts";
import { initialParameters } from "../../transformer/parameters.ts";
import { fitWeights } from "../../weights/fit-weights.ts";
import { openModelFolder } from "../../weights/model-folder.ts";
import { tokenCountOf } from "../../weights/token-count.ts";
import type { TensorSource } from "../../transformer/parameters.ts";
import { uploadWeights } from "../../weights/upload-weights.ts";

/** A model as its source gives it, without anything trained. */
export interface BaseWeights {
  readonly configJson: Readonly<Record<string, unknown>>;
  readonly model: ModelOnDevice;
  /** Gives the weights up; the last of their users frees them. */
  release(): void;
}

/** @throws LaconicError `model_unsupported`, `checkpoint_missing`, `weights_invalid`. */
export async function openBase(kernels: Kernels, source: BaseSource, files: ModelFiles): Promise<BaseWeights> {
  if (source.kind === "config") {
    const config = parseModelConfig(source.config);
    return baseOf(kernels, source.config, initialParameters(config, randomFromSeed(source.seed).split("weights")));
  }
  const folder = await openModelFolder(files, source.path);
  try {
    const tokenCount = await tokenCountOf(files, source.path);
    return await baseOf(
      kernels,
      folder.config,
      fitWeights(parseModelConfig(folder.config), folder.tensors),
      tokenCount,
    );
  } finally {
    await folder.close();
  }
}

async function baseOf(
  kernels: Kernels,
  configJson: Readonly<Record<string, unknown>>,
  weights: ReadonlyMap<string, TensorSource>,
  tokenCount: number | null = null,
): Promise<BaseWeights> {
  const config = parseModelConfig(configJson);
  const isPadded = tokenCount !== null && tokenCount < config.vocabularySize;
  const uploaded = modelOf(kernels, config, await uploadWeights(kernels, weights));
  const model = isPadded ? { ...uploaded, tokenCount } : uploaded;
  return { configJson, model, release: () => freeModel(model) };
}

/** Frozen weights under any number of adapters: equal sources are opened once. */
export class SharedBases {
  readonly #kernels: Kernels;
  readonly #files: ModelFiles;
  readonly #open = new Map<string, { readonly base: Promise<BaseWeights>; users: number }>();

  constructor(kernels: Kernels, files: ModelFiles) {
    this.#kernels = kernels;
    this.#files = files;
  }

  async acquire(source: BaseSource): Promise<BaseWeights> {
    const key = JSON.stringify(source);
    const entry = this.#open.get(key) ?? { base: openBase(this.#kernels, source, this.#files), users: 0 };
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
