import { LaconicError, type LoraSettings } from "@laconic/core";
import { joinPath, type ModelFiles } from "@laconic/core/files";
import type { ModelConfig } from "../transformer/model-config.ts";
import { fitTensor } from "../weights/fit-weights.ts";
import { readJsonFile } from "../weights/model-folder.ts";
import { readSafetensorsFile, writeSafetensorsFile, writeSynced } from "../weights/safetensors-file.ts";
import type { TensorSource } from "../transformer/parameters.ts";
import { adapterShapes } from "./lora-settings.ts";
import { parsePeftConfig, toPeftConfig } from "./peft-config.ts";

const names = {
  config: "adapter_config.json",
  weights: "adapter_model.safetensors",
  /** What PEFT wrote before safetensors; loading a pickle runs its code. */
  pickled: "adapter_model.bin",
} as const;
/** What PEFT puts before the base model's own names. */
const prefix = "base_model.model.";

/**
 * Reads an adapter as PEFT saves it.
 * @throws LaconicError `checkpoint_missing`, `weights_invalid` naming the tensor, `model_unsupported` naming the setting.
 */
export async function readPeftFolder(
  files: ModelFiles,
  folder: string,
  config: ModelConfig,
): Promise<{ settings: LoraSettings; values: Map<string, Float32Array | Float64Array> }> {
  const place = joinPath(folder, names.config);
  const settings = parsePeftConfig(await readJsonFile(place, files), place);
  const path = joinPath(folder, names.weights);
  if (!(await files.exists(path)) && (await files.exists(joinPath(folder, names.pickled))))
    throw new LaconicError(
      "checkpoint_missing",
      `${folder} holds ${names.pickled} only; save it again with safe_serialization=True`,
      { folder },
    );
  const { tensors } = await readSafetensorsFile(files, path);
  const values = new Map<string, Float32Array | Float64Array>();
  for (const [name, shape] of adapterShapes(config, settings))
    values.set(name, fitTensor(prefix + name, shape, tensors.get(prefix + name)));
  for (const name of tensors.keys())
    if (!name.startsWith(prefix) || !values.has(name.slice(prefix.length)))
      throw new LaconicError("weights_invalid", `tensor ${name} does not belong to this adapter`, { tensor: name });
  return { settings, values };
}

/**
 * Writes an adapter as PEFT reads it.
 * @returns the file names
 * @throws LaconicError `run_unwritable` naming the file.
 */
export async function writePeftFolder(
  files: ModelFiles,
  folder: string,
  settings: LoraSettings,
  base: string | null,
  matrices: ReadonlyMap<string, TensorSource>,
  dtype: "F32" | "F64",
): Promise<readonly string[]> {
  const json = new TextEncoder().encode(`${JSON.stringify(toPeftConfig(settings, base), null, 2)}\n`);
  await writeSynced(files, joinPath(folder, names.config), (write) => write(json));
  const named = new Map(Array.from(matrices, ([name, source]) => [prefix + name, source]));
  await writeSafetensorsFile(files, joinPath(folder, names.weights), named, dtype, { format: "pt" });
  return [names.config, names.weights];
}
