import { LaconicError, type LoraSettings, type UnknownRecord } from "@laconic/core";
import { joinPath, type ModelFiles } from "@laconic/core/files";
import { adaptedProjections } from "../../lora/lora-settings.ts";
import { openPeftFolder, writePeftFolder } from "../../lora/peft-folder.ts";
import { parseModelConfig, type ModelConfig } from "../../transformer/model-config.ts";
import { parameter, type ModelOnDevice } from "../../transformer/model-on-device.ts";
import { scoreName } from "../../transformer/parameters.ts";
import { fitSource, fitWeights } from "../../weights/fit-weights.ts";
import { openModelFolder, writeModelFolder, writeTrainingState } from "../../weights/model-folder.ts";
import type { ModelFolderContents } from "../../weights/model-folder.ts";
import { closedOnError, openSafetensorsFile, writeSafetensorsFile } from "../../weights/safetensors-file.ts";
import type { OpenTensors } from "../../weights/safetensors-file.ts";

/** Optimizer state has its own file. */
export interface StoredForm {
  write(folder: string, contents: Omit<ModelFolderContents, "config">): Promise<readonly string[]>;
  open(folder: string): Promise<OpenTensors>;
}

/** A whole model in Hugging Face's layout. */
export function wholeModel(files: ModelFiles, config: ModelConfig, configJson: UnknownRecord): StoredForm {
  return {
    write: (folder, contents) => writeModelFolder(files, folder, { config: configJson, ...contents }),
    open: async (folder) =>
      closedOnError(await openModelFolder(files, folder), (stored) => {
        const modelConfig = parseModelConfig(stored.config);
        expectSame("", config, config.scalarHead ? { ...modelConfig, scalarHead: true } : modelConfig, folder);
        return { tensors: fitWeights(config, stored.tensors), close: stored.close };
      }),
  };
}

/** An adapter in PEFT's layout. */
export function adapterOnly(files: ModelFiles, model: ModelOnDevice, base: string | null): StoredForm {
  const settings = model.adapter?.settings;
  if (!settings) throw new LaconicError("engine_failed", "the model has no adapter");
  const plain = ({ rank, alpha, rankStabilized = false, targets }: LoraSettings): object => ({
    rank,
    alpha,
    rankStabilized,
    targets: adaptedProjections(model.config, targets),
  });
  return {
    async write(folder, contents) {
      const written = await writePeftFolder(files, folder, settings, base, contents.weights, contents.dtype);
      return [...written, await writeTrainingState(files, folder, contents)];
    },
    open: async (folder) =>
      closedOnError(await openPeftFolder(files, folder, model.config), (stored) => {
        expectSame("lora.", plain(settings), plain(stored.settings), folder);
        return stored;
      }),
  };
}

export function headOnly(files: ModelFiles, model: ModelOnDevice): StoredForm {
  const { shape } = parameter(model, scoreName);
  return {
    async write(folder, contents) {
      await writeSafetensorsFile(files, joinPath(folder, headFile), contents.weights, contents.dtype);
      return [headFile, await writeTrainingState(files, folder, contents)];
    },
    open: async (folder) =>
      closedOnError(await openSafetensorsFile(files, joinPath(folder, headFile)), ({ tensors, close }) => ({
        tensors: new Map([[scoreName, fitSource(scoreName, shape, tensors.get(scoreName))]]),
        close,
      })),
  };
}

const headFile = "score.safetensors";

function expectSame(location: string, live: object, stored: object, folder: string): void {
  for (const [key, value] of Object.entries(live)) {
    // Irrelevant for trained weights.
    if (key === "initializerRange") continue;
    const actual: unknown = (stored as Record<string, unknown>)[key];
    if (JSON.stringify(actual) !== JSON.stringify(value))
      throw new LaconicError(
        "weights_invalid",
        `${folder}: ${location}${key}: expected ${JSON.stringify(value)}, as in the model, got ${JSON.stringify(actual)}`,
        { folder, key: location + key },
      );
  }
}
