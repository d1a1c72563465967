import { randomFromSeed, type BaseSource, type UnknownRecord } from "@laconic/core";
import type { ModelFiles } from "@laconic/core/files";
import type { Kernels } from "../../kernels/index.ts";
import { parseModelConfig, type ModelConfig } from "../../transformer/model-config.ts";
import { freeModel, modelOf, type ModelOnDevice } from "../../transformer/model-on-device.ts";
import { initialParameters, type TensorSource, scoreName } from "../../transformer/parameters.ts";
import { fitWeights } from "../../weights/fit-weights.ts";
import { openModelFolder, tokenCountOf } from "../../weights/model-folder.ts";
import { uploadWeights, allocateTogether } from "../../transformer/weight-layout.ts";

export interface BaseWeights {
  readonly configJson: UnknownRecord;
  readonly model: ModelOnDevice;
  /** Only for a scalar head. */
  readonly hasStoredHead?: boolean;
  /** The last user frees the weights. */
  release(): void;
}

/** @throws LaconicError `model_unsupported`, `checkpoint_missing`, `weights_invalid`. */
export async function openBase(kernels: Kernels, source: BaseSource, files: ModelFiles): Promise<BaseWeights> {
  const { configJson, tensors, tokenCount, close } = await openLayers(source, files);
  try {
    const config = parseModelConfig(configJson);
    const weights = tensors ? fitWeights(config, tensors) : freshWeights(config, source);
    const uploaded = modelOf(kernels, config, await uploadWeights(kernels, weights));
    const isPadded = tokenCount !== null && tokenCount < config.vocabularySize;
    const model = isPadded ? { ...uploaded, tokenCount } : uploaded;
    return { configJson, model, release: () => freeModel(model) };
  } finally {
    await close();
  }
}

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

/**
 * Opens layers with their scalar head, or a zero head.
 * @throws LaconicError `model_unsupported`, `checkpoint_missing`, `weights_invalid` (also for several labels).
 */
export async function openScalarBase(
  kernels: Kernels,
  source: BaseSource,
  files: ModelFiles,
  trainsHeadAlone: boolean,
): Promise<BaseWeights> {
  const { configJson, tensors, close } = await openLayers(source, files);
  try {
    const config: ModelConfig = { ...parseModelConfig(configJson), scalarHead: true };
    const fresh = freshWeights(config, source);
    const head = fresh.get(scoreName)!;
    const weights = tensors ? fitWeights(config, new Map([[scoreName, head], ...tensors])) : fresh;
    const model = modelOf(kernels, config, await uploadWeights(kernels, weights));
    return {
      configJson: {
        ...configJson,
        ...classifierOf(configJson["architectures"]),
        id2label: { "0": "LABEL_0" },
        label2id: { LABEL_0: 0 },
      },
      model: trainsHeadAlone ? { ...model, trainsHeadAlone } : model,
      hasStoredHead: tensors?.has(scoreName) ?? false,
      release: () => freeModel(model),
    };
  } finally {
    await close();
  }
}

/** Name of transformers' class with one label, if the file names a class. */
function classifierOf(architectures: unknown): { readonly architectures?: readonly string[] } {
  const [name] = Array.isArray(architectures) ? architectures : [];
  return typeof name === "string"
    ? { architectures: [name.replace(/For(?:CausalLM|SequenceClassification)$/, "ForSequenceClassification")] }
    : {};
}

export function headOn(trunk: ModelOnDevice): BaseWeights {
  const { kernels, parameters } = trunk;
  const config: ModelConfig = { ...trunk.config, scalarHead: true };
  const head = allocateTogether(kernels, new Map([[scoreName, [1, config.hiddenSize]]]));
  const model: ModelOnDevice = {
    ...trunk,
    config,
    parameters: new Map([...parameters, ...head]),
    trainsHeadAlone: true,
  };
  return { configJson: {}, model, hasStoredHead: false, release: () => kernels.free(...head.values()) };
}

function freshWeights(config: ModelConfig, source: BaseSource): Map<string, TensorSource> {
  return initialParameters(config, randomFromSeed(source.kind === "config" ? source.seed : 0).split("weights"));
}

interface Layers {
  readonly configJson: UnknownRecord;
  readonly tensors: ReadonlyMap<string, TensorSource> | null;
  readonly tokenCount: number | null;
  close(): Promise<void>;
}

async function openLayers(source: BaseSource, files: ModelFiles): Promise<Layers> {
  if (source.kind === "config")
    return { configJson: source.config, tensors: null, tokenCount: null, close: async () => undefined };
  const tokenCount = await tokenCountOf(files, source.path);
  const { config: configJson, tensors, close } = await openModelFolder(files, source.path);
  return { configJson, tensors, tokenCount, close };
}
