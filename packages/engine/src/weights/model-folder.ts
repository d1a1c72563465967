import { stat } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import {
  openSafetensorsFile,
  openToRead,
  writeSafetensorsFile,
  writeSynced,
  type OpenTensors,
  type TensorSource,
} from "./safetensors-file.ts";

/** Moments of one parameter. */
export interface StoredMoments {
  readonly first: TensorSource;
  readonly second: TensorSource;
}

/** Optimiser state beside a model's weights, in an open file. */
export interface OpenTrainingState {
  /** Optimiser steps taken. */
  readonly steps: number;
  /** By parameter name. */
  readonly moments: ReadonlyMap<string, StoredMoments>;
  close(): Promise<void>;
}

const files = {
  config: "config.json",
  weights: "model.safetensors",
  index: "model.safetensors.index.json",
  optimizer: "optimizer.safetensors",
} as const;

/** What PyTorch wrote before safetensors; loading a pickle runs its code. */
const pickled = ["pytorch_model.bin", "pytorch_model.bin.index.json"];

/** Bytes of the largest JSON file that is read: indices of shards take a hundredth of it. */
const maxJsonBytes = 1 << 26;

/**
 * Opens a folder in Hugging Face's layout: `config.json` and `model.safetensors`, single or sharded. Only headers are read.
 * @throws LaconicError `checkpoint_missing` or `weights_invalid` naming the file.
 */
export async function openModelFolder(
  folder: string,
): Promise<OpenTensors & { readonly config: Readonly<Record<string, unknown>> }> {
  const config = await readJsonFile(join(folder, files.config));
  const tensors = new Map<string, TensorSource>();
  const opened: OpenTensors[] = [];
  const close = async (): Promise<void> => void (await Promise.all(opened.map((file) => file.close())));
  try {
    for (const name of await weightFiles(folder)) {
      const path = join(folder, name);
      const file = await openSafetensorsFile(path);
      opened.push(file);
      for (const [tensor, source] of file.tensors) {
        if (tensors.has(tensor))
          throw new LaconicError("weights_invalid", `${path}: tensor ${tensor} is in another file too`, { file: path });
        tensors.set(tensor, source);
      }
    }
    return { config, tensors, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Null when the folder holds weights only. @throws LaconicError `weights_invalid` when the state is damaged. */
export async function openTrainingState(folder: string): Promise<OpenTrainingState | null> {
  const path = join(folder, files.optimizer);
  if (!(await exists(path))) return null;
  const file = await openSafetensorsFile(path);
  try {
    return { ...readMoments(path, file.tensors, file.metadata), close: file.close };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function readMoments(
  path: string,
  tensors: ReadonlyMap<string, TensorSource>,
  metadata: Readonly<Record<string, string>>,
): Pick<OpenTrainingState, "steps" | "moments"> {
  const steps = Number(metadata["steps"] ?? Number.NaN);
  if (!Number.isInteger(steps) || steps < 0)
    throw new LaconicError("weights_invalid", `${path}: the step count is missing`, { file: path });
  const moments = new Map<string, StoredMoments>();
  for (const [key, first] of tensors) {
    if (!key.startsWith("first.")) continue;
    const name = key.slice("first.".length);
    const second = tensors.get(`second.${name}`);
    if (!second) throw new LaconicError("weights_invalid", `${path}: tensor second.${name} is missing`, { file: path });
    moments.set(name, { first, second });
  }
  return { steps, moments };
}

/** What a model folder is written from. */
export interface ModelFolderContents {
  readonly config: Readonly<Record<string, unknown>>;
  readonly weights: ReadonlyMap<string, TensorSource>;
  readonly steps: number;
  readonly moments: ReadonlyMap<string, StoredMoments>;
  readonly dtype: "F32" | "F64";
}

/**
 * Writes and syncs every file; the caller decides when the folder counts as complete.
 * @returns the file names
 * @throws LaconicError `run_unwritable` naming the file.
 */
export async function writeModelFolder(folder: string, contents: ModelFolderContents): Promise<readonly string[]> {
  const { config, weights, steps, moments, dtype } = contents;
  const json = new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`);
  await writeSynced(join(folder, files.config), (write) => write(json));
  await writeSafetensorsFile(join(folder, files.weights), weights, dtype);
  return [files.config, files.weights, await writeTrainingState(folder, steps, moments, dtype)];
}

/** Writes the optimiser's state beside the weights. @returns the file name */
export async function writeTrainingState(
  folder: string,
  steps: number,
  moments: ModelFolderContents["moments"],
  dtype: "F32" | "F64",
): Promise<string> {
  const flat = new Map<string, TensorSource>();
  for (const [name, { first, second }] of moments) flat.set(`first.${name}`, first).set(`second.${name}`, second);
  await writeSafetensorsFile(join(folder, files.optimizer), flat, dtype, { steps: String(steps) });
  return files.optimizer;
}

/** Said where weights lie in pickles alone. */
const howToConvert =
  "Such a file is a program that loading runs, so it is not read. Where you trust it, convert it with Python: " +
  'from transformers import AutoModelForCausalLM; AutoModelForCausalLM.from_pretrained("FOLDER").save_pretrained("FOLDER", safe_serialization=True)';

async function weightFiles(folder: string): Promise<string[]> {
  if (await exists(join(folder, files.weights))) return [files.weights];
  const path = join(folder, files.index);
  if (!(await exists(path))) {
    for (const name of pickled)
      if (await exists(join(folder, name)))
        throw new LaconicError("checkpoint_missing", `${folder} holds ${name} only. ${howToConvert}`, { folder });
    throw new LaconicError(
      "checkpoint_missing",
      `${folder} holds no ${files.weights}; expected a Hugging Face model folder`,
      { folder },
    );
  }
  const map = (await readJsonFile(path))["weight_map"];
  const names = typeof map === "object" && map !== null ? [...new Set(Object.values(map))] : [];
  // A shard name is a plain file name: an index must not reach outside its folder.
  if (names.length === 0 || !names.every((name) => typeof name === "string" && /^[\w-][\w.-]*$/.test(name)))
    throw new LaconicError("weights_invalid", `${path}: weight_map is malformed`, { file: path });
  return names as string[];
}

/** @throws LaconicError `checkpoint_missing` or `weights_invalid` naming the file. */
export async function readJsonFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  const file = await openToRead(path);
  let value: unknown;
  try {
    const { size } = await file.stat();
    if (size > maxJsonBytes)
      throw new LaconicError("weights_invalid", `${path} has ${size} bytes, at most ${maxJsonBytes} are read`, {
        file: path,
      });
    value = JSON.parse(await file.readFile("utf8"));
  } catch (error) {
    if (LaconicError.is(error)) throw error;
    throw new LaconicError("weights_invalid", `${path} is not JSON: ${String(error)}`, { file: path }, error);
  } finally {
    await file.close();
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new LaconicError("weights_invalid", `${path} is not a JSON object`, { file: path });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
