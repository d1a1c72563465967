import { LaconicError, type LoraSettings, type UnknownRecord } from "@laconic/core";
import { joinPath, type ModelFiles } from "@laconic/core/files";
import type { ModelConfig } from "../transformer/model-config.ts";
import { fitSource } from "../weights/fit-weights.ts";
import { readJsonFile } from "../weights/model-folder.ts";
import { closedOnError, openSafetensorsFile, writeSafetensorsFile, writeSynced } from "../weights/safetensors-file.ts";
import type { OpenTensors } from "../weights/safetensors-file.ts";
import type { TensorSource } from "../transformer/parameters.ts";
import { adapterShapes, checkLora, isProjection, matchingTargets } from "./lora-settings.ts";

const names = {
  config: "adapter_config.json",
  weights: "adapter_model.safetensors",
  /** Older format; loading a pickle runs its code. */
  pickled: "adapter_model.bin",
} as const;
/** PEFT's prefix of the base model's names. */
const prefix = "base_model.model.";

/**
 * Opens an adapter in PEFT's format.
 * @throws LaconicError `checkpoint_missing`, `weights_invalid`, `model_unsupported`.
 */
export async function openPeftFolder(
  files: ModelFiles,
  folder: string,
  config: ModelConfig,
): Promise<OpenTensors & { readonly settings: LoraSettings }> {
  const location = joinPath(folder, names.config);
  const parsed = parsePeftConfig(await readJsonFile(location, files), location);
  const targets = parsed.targets && matchingTargets(config, parsed.targets);
  const settings = targets ? { ...parsed, targets } : parsed;
  if (targets?.length === 0)
    throw new LaconicError("model_unsupported", `${location}: target_modules match no projection of the model`, {
      key: "target_modules",
    });
  const path = joinPath(folder, names.weights);
  if (!(await files.exists(path)) && (await files.exists(joinPath(folder, names.pickled))))
    throw new LaconicError(
      "checkpoint_missing",
      `${folder}: weights exist only as ${names.pickled}; save it again with safe_serialization=True`,
      { folder },
    );
  return closedOnError(await openSafetensorsFile(files, path), (file) => {
    const tensors = new Map<string, TensorSource>();
    for (const [name, shape] of adapterShapes(config, settings))
      tensors.set(name, fitSource(prefix + name, shape, file.tensors.get(prefix + name)));
    for (const name of file.tensors.keys())
      if (!name.startsWith(prefix) || !tensors.has(name.slice(prefix.length)))
        throw new LaconicError("weights_invalid", `tensor ${name} does not belong to this adapter`, { tensor: name });
    return { settings, tensors, close: file.close };
  });
}

/**
 * Writes an adapter in PEFT's format; returns the file names.
 * @throws LaconicError `run_unwritable`.
 */
export async function writePeftFolder(
  files: ModelFiles,
  folder: string,
  settings: LoraSettings,
  base: string | null,
  matrices: ReadonlyMap<string, TensorSource>,
  dtype: "F32" | "F64",
): Promise<readonly string[]> {
  const targets = settings.targets ?? [...new Set(Array.from(matrices.keys(), (name) => name.split(".").at(-3)!))];
  const json = new TextEncoder().encode(`${JSON.stringify(toPeftConfig({ ...settings, targets }, base), null, 2)}\n`);
  await writeSynced(files, joinPath(folder, names.config), (write) => write(json));
  const named = new Map(Array.from(matrices, ([name, source]) => [prefix + name, source]));
  await writeSafetensorsFile(files, joinPath(folder, names.weights), named, dtype, { format: "pt" });
  return [names.config, names.weights];
}

/** Without effect on the arithmetic, alone. */
const idleKeys: readonly string[] = [
  "auto_mapping",
  "base_model_name_or_path",
  "revision",
  "peft_version",
  "inference_mode",
  "megatron_core",
  "qalora_group_size",
  "eva_config",
  "lora_ga_config",
];
const readKeys = ["peft_type", "task_type", "init_lora_weights", "target_modules"];
const settingKeys = ["r", "lora_alpha", "lora_dropout", "use_rslora"];
const handledKeys: ReadonlySet<string> = new Set([...idleKeys, ...readKeys, ...settingKeys]);

/** These leave the base weights unchanged. */
const plainInitialisations: readonly unknown[] = [undefined, true, false, "gaussian", "eva", "orthogonal"];

export function toPeftConfig(settings: LoraSettings, base: string | null): UnknownRecord {
  return {
    peft_type: "LORA",
    task_type: "CAUSAL_LM",
    base_model_name_or_path: base,
    r: settings.rank,
    lora_alpha: settings.alpha,
    lora_dropout: settings.dropout ?? 0,
    use_rslora: settings.rankStabilized ?? false,
    target_modules: settings.targets ?? "all-linear",
    bias: "none",
    fan_in_fan_out: false,
    modules_to_save: null,
    inference_mode: true,
  };
}

/**
 * Unknown options are rejected unless they are off.
 * @param location - for errors
 * @throws LaconicError `model_unsupported`.
 */
export function parsePeftConfig(json: UnknownRecord, location: string): LoraSettings {
  const refuse = (key: string, reason: string): LaconicError =>
    new LaconicError(
      "model_unsupported",
      `${location}: ${key} is ${JSON.stringify(json[key]) ?? "missing"}: ${reason}`,
      {
        key,
      },
    );
  if (json["peft_type"] !== "LORA") throw refuse("peft_type", "only LORA is supported");
  if ((json["task_type"] ?? "CAUSAL_LM") !== "CAUSAL_LM") throw refuse("task_type", "expected CAUSAL_LM");
  if (!plainInitialisations.includes(json["init_lora_weights"]))
    throw refuse("init_lora_weights", "it changes the base's weights, which the adapter lacks");
  for (const [key, value] of Object.entries(json))
    if (!handledKeys.has(key) && !isOff(value)) throw refuse(key, "not supported");
  const number = (key: string, fallback?: number): number => {
    const value = json[key] ?? fallback;
    if (typeof value !== "number") throw refuse(key, "expected a number");
    return value;
  };
  const rankStabilized = json["use_rslora"] ?? false;
  if (typeof rankStabilized !== "boolean") throw refuse("use_rslora", "expected true or false");
  const settings: LoraSettings = {
    rank: number("r"),
    alpha: number("lora_alpha"),
    ...parseTargets(json["target_modules"], refuse),
    dropout: number("lora_dropout", 0),
    rankStabilized,
  };
  checkLora(settings);
  return settings;
}

/** Ignores unknown names, as PEFT does; rejects heads and embeddings. */
function parseTargets(
  value: unknown,
  refuse: (key: string, reason: string) => LaconicError,
): { readonly targets?: readonly string[] } {
  if (value === "all-linear") return {};
  if (!Array.isArray(value) || !value.every((target): target is string => typeof target === "string"))
    throw refuse("target_modules", "expected a list of module names or all-linear; expressions are not supported");
  const outside = value.find((target) => /(^|\.)(lm_head|embed_tokens)$/.test(target));
  if (outside !== undefined) throw refuse("target_modules", `${outside} is not a projection of a layer`);
  const targets = value.filter(isProjection);
  if (targets.length === 0) throw refuse("target_modules", "expected at least one projection");
  return { targets };
}

function isOff(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === null || value === false || value === "none" || value === "";
}
