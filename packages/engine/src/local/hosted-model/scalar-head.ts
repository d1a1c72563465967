import { randomFromSeed, type BaseSource } from "@laconic/core";
import type { ModelFiles } from "@laconic/core/files";
import type { Kernels } from "../../kernels/index.ts";
import { parseModelConfig, type ModelConfig } from "../../transformer/model-config.ts";
import { freeModel, modelOf, type ModelOnDevice } from "../../transformer/model-on-device.ts";
import { initialParameters, scoreName } from "../../transformer/parameters.ts";
import { allocateTogether } from "../../transformer/weight-layout.ts";
import { fitWeights } from "../../weights/fit-weights.ts";
import { openModelFolder } from "../../weights/model-folder.ts";
import type { TensorSource } from "../../transformer/parameters.ts";
import { uploadWeights } from "../../weights/upload-weights.ts";
import type { BaseWeights } from "./base-weights.ts";

/** A model with a scalar head as its source gives it. */
export interface ScalarBase extends BaseWeights {
  readonly hasStoredHead: boolean;
}

/** What Hugging Face calls a model with one label, by type. */
const architectures: Readonly<Record<ModelConfig["modelType"], string>> = {
  llama: "LlamaForSequenceClassification",
  mistral: "MistralForSequenceClassification",
  qwen2: "Qwen2ForSequenceClassification",
  qwen3: "Qwen3ForSequenceClassification",
};

/**
 * Layers of their own under a scalar head: the stored one, or zeros where the source has none. A head over tokens is left out.
 * @throws LaconicError `model_unsupported`, `checkpoint_missing`, `weights_invalid`: also for a head of several labels.
 */
export async function openScalarBase(
  kernels: Kernels,
  source: BaseSource,
  files: ModelFiles,
  trainsHeadAlone: boolean,
): Promise<ScalarBase> {
  const opened = await openLayers(source, files);
  try {
    const { configJson, tensors } = opened;
    const config: ModelConfig = { ...parseModelConfig(configJson), scalarHead: true };
    const fresh = initialParameters(
      config,
      randomFromSeed(source.kind === "config" ? source.seed : 0).split("weights"),
    );
    const head = fresh.get(scoreName) as TensorSource;
    const weights = tensors ? fitWeights(config, new Map([[scoreName, head], ...tensors])) : fresh;
    const model = modelOf(kernels, config, await uploadWeights(kernels, weights));
    return {
      configJson: {
        ...configJson,
        architectures: [architectures[config.modelType]],
        id2label: { "0": "LABEL_0" },
        label2id: { LABEL_0: 0 },
      },
      model: trainsHeadAlone ? { ...model, trainsHeadAlone } : model,
      hasStoredHead: tensors?.has(scoreName) ?? false,
      release: () => freeModel(model),
    };
  } finally {
    await opened.close();
  }
}

/** A fresh head over a model's layers, which are the model's: they are as it has them at each pass, and stay when the head goes. */
export function headOn(trunk: ModelOnDevice): ScalarBase {
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

/** @returns no tensors where weights are to be drawn */
async function openLayers(
  source: BaseSource,
  files: ModelFiles,
): Promise<{
  readonly configJson: Readonly<Record<string, unknown>>;
  readonly tensors: ReadonlyMap<string, TensorSource> | null;
  close(): Promise<void>;
}> {
  if (source.kind === "config") return { configJson: source.config, tensors: null, close: async () => undefined };
  const { config: configJson, tensors, close } = await openModelFolder(files, source.path);
  return { configJson, tensors, close };
}
