import { join } from "node:path";
import { LaconicError, type LoraSettings } from "@laconic/core";
import type { ModelConfig } from "../transformer/model-config.ts";
import { fitTensor } from "../weights/fit-weights.ts";
import { readJsonFile } from "../weights/model-folder.ts";
import {
  readSafetensorsFile,
  writeSafetensorsFile,
  writeSynced,
  type TensorSource,
} from "../weights/safetensors-file.ts";
import { adapterShapes, checkLora, loraTargets } from "./lora-settings.ts";

const files = { config: "adapter_config.json", weights: "adapter_model.safetensors" } as const;
/** What PEFT puts before the base model's own names. */
const prefix = "base_model.model.";

/** Settings that change what an adapter computes, and the value at which they do not. */
const neutral: Readonly<Record<string, readonly unknown[]>> = {
  bias: ["none"],
  use_dora: [false],
  fan_in_fan_out: [false],
  modules_to_save: [null, []],
  rank_pattern: [null, {}],
  alpha_pattern: [null, {}],
  layers_to_transform: [null],
  layer_replication: [null],
  exclude_modules: [null],
  target_parameters: [null, []],
  trainable_token_indices: [null],
  lora_bias: [false],
  alora_invocation_tokens: [null],
  use_qalora: [false],
};

/**
 * Reads an adapter as PEFT saves it.
 * @throws LaconicError `checkpoint_missing`, `weights_invalid` naming the tensor, `model_unsupported` naming the setting.
 */
export async function readPeftFolder(
  folder: string,
  config: ModelConfig,
): Promise<{ settings: LoraSettings; values: Map<string, Float32Array | Float64Array> }> {
  const settings = parseAdapterConfig(await readJsonFile(join(folder, files.config)));
  const { tensors } = await readSafetensorsFile(join(folder, files.weights));
  const values = new Map<string, Float32Array | Float64Array>();
  for (const [name, shape] of adapterShapes(config, settings))
    values.set(name, fitTensor(prefix + name, shape, tensors.get(prefix + name)));
  for (const name of tensors.keys())
    if (!values.has(name.slice(prefix.length)))
      throw new LaconicError("weights_invalid", `tensor ${name} does not belong to this adapter`, { tensor: name });
  return { settings, values };
}

/**
 * Writes an adapter as PEFT reads it.
 * @returns the file names
 * @throws LaconicError `run_unwritable` naming the file.
 */
export async function writePeftFolder(
  folder: string,
  settings: LoraSettings,
  base: string | null,
  matrices: ReadonlyMap<string, TensorSource>,
  dtype: "F32" | "F64",
): Promise<readonly string[]> {
  const config = {
    peft_type: "LORA",
    task_type: "CAUSAL_LM",
    base_model_name_or_path: base,
    r: settings.rank,
    lora_alpha: settings.alpha,
    lora_dropout: settings.dropout ?? 0,
    use_rslora: settings.rankStabilized ?? false,
    target_modules: settings.targets ?? Object.keys(loraTargets),
    bias: "none",
    fan_in_fan_out: false,
    modules_to_save: null,
    inference_mode: true,
  };
  const json = new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`);
  await writeSynced(join(folder, files.config), (write) => write(json));
  const named = new Map(Array.from(matrices, ([name, source]) => [prefix + name, source]));
  await writeSafetensorsFile(join(folder, files.weights), named, dtype, { format: "pt" });
  return [files.config, files.weights];
}

/** @throws LaconicError `model_unsupported` naming the setting. */
export function parseAdapterConfig(json: Readonly<Record<string, unknown>>): LoraSettings {
  const refuse = (key: string, reason: string): LaconicError =>
    new LaconicError(
      "model_unsupported",
      `${files.config}: ${key} is ${JSON.stringify(json[key]) ?? "missing"}: ${reason}`,
      { key },
    );
  if (json["peft_type"] !== "LORA") throw refuse("peft_type", "only LORA is supported");
  for (const [key, values] of Object.entries(neutral))
    if (key in json && !values.some((value) => JSON.stringify(value) === JSON.stringify(json[key])))
      throw refuse(key, "not supported");
  const targets = json["target_modules"];
  if (!Array.isArray(targets) || !targets.every((target): target is string => typeof target === "string"))
    throw refuse("target_modules", "expected a list of projection names");
  const number = (key: string): number => {
    const value = json[key];
    if (typeof value !== "number") throw refuse(key, "expected a number");
    return value;
  };
  const settings: LoraSettings = {
    rank: number("r"),
    alpha: number("lora_alpha"),
    targets,
    ...(json["lora_dropout"] !== undefined && { dropout: number("lora_dropout") }),
    ...(json["use_rslora"] !== undefined && { rankStabilized: json["use_rslora"] === true }),
  };
  checkLora(settings);
  return settings;
}
