import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from "./safetensors.ts";

/** Optimiser state beside a model's weights. */
export interface TrainingState {
  /** Optimiser steps taken. */
  readonly steps: number;
  readonly moments: ReadonlyMap<
    string,
    { readonly first: Float32Array; readonly second: Float32Array; readonly shape: readonly number[] }
  >;
}

const files = {
  config: "config.json",
  weights: "model.safetensors",
  index: "model.safetensors.index.json",
  optimizer: "optimizer.safetensors",
} as const;

/**
 * Reads a folder in Hugging Face's layout: `config.json` and `model.safetensors`, single or sharded.
 * @throws LaconicError `checkpoint_missing` or `weights_invalid` naming the file.
 */
export async function readModelFolder(
  folder: string,
): Promise<{ config: Readonly<Record<string, unknown>>; values: ReadonlyMap<string, Float32Array> }> {
  const config = await readJson(join(folder, files.config));
  const values = new Map<string, Float32Array>();
  for (const file of await weightFiles(folder)) {
    const path = join(folder, file);
    for (const [name, tensor] of decodeSafetensors(await readBytes(path), path).tensors) {
      // Tied checkpoints may store the head a second time.
      if (name === "lm_head.weight" && config["tie_word_embeddings"] === true) continue;
      values.set(name, tensor.values);
    }
  }
  return { config, values };
}

/** Null when the folder holds weights only. @throws LaconicError `weights_invalid` when the state is damaged. */
export async function readTrainingState(folder: string): Promise<TrainingState | null> {
  const path = join(folder, files.optimizer);
  if (!(await exists(path))) return null;
  const { tensors, metadata } = decodeSafetensors(await readBytes(path), path);
  const steps = Number(metadata["steps"]);
  if (!Number.isInteger(steps) || steps < 0)
    throw new LaconicError("weights_invalid", `${path}: the step count is missing`, { file: path });
  const moments = new Map<string, { first: Float32Array; second: Float32Array; shape: readonly number[] }>();
  for (const [key, first] of tensors) {
    if (!key.startsWith("first.")) continue;
    const name = key.slice("first.".length);
    const second = tensors.get(`second.${name}`);
    if (!second) throw new LaconicError("weights_invalid", `${path}: tensor second.${name} is missing`, { file: path });
    moments.set(name, { first: first.values, second: second.values, shape: first.shape });
  }
  return { steps, moments };
}

/** Writes and syncs every file; the caller decides when the folder counts as complete. Returns the file names. */
export async function writeModelFolder(
  folder: string,
  config: Readonly<Record<string, unknown>>,
  weights: ReadonlyMap<string, StoredTensor>,
  optimizer: { readonly steps: number; readonly moments: ReadonlyMap<string, StoredTensor> } | null,
): Promise<readonly string[]> {
  const contents: [string, Uint8Array][] = [
    [files.config, new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`)],
    [files.weights, encodeSafetensors(weights)],
  ];
  if (optimizer)
    contents.push([files.optimizer, encodeSafetensors(optimizer.moments, { steps: String(optimizer.steps) })]);
  for (const [name, bytes] of contents) await writeSynced(join(folder, name), bytes);
  return contents.map(([name]) => name);
}

async function weightFiles(folder: string): Promise<string[]> {
  if (await exists(join(folder, files.weights))) return [files.weights];
  const path = join(folder, files.index);
  if (!(await exists(path)))
    throw new LaconicError(
      "checkpoint_missing",
      `${folder} holds no ${files.weights}; expected a Hugging Face model folder`,
      { folder },
    );
  const map = (await readJson(path))["weight_map"];
  const names = typeof map === "object" && map !== null ? [...new Set(Object.values(map))] : [];
  // A shard name is a plain file name: an index must not reach outside its folder.
  if (names.length === 0 || !names.every((name) => typeof name === "string" && /^[\w.-]+$/.test(name)))
    throw new LaconicError("weights_invalid", `${path}: weight_map is malformed`, { file: path });
  return names as string[];
}

async function readJson(path: string): Promise<Readonly<Record<string, unknown>>> {
  const text = new TextDecoder().decode(await readBytes(path));
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // falls through to the one message
  }
  throw new LaconicError("weights_invalid", `${path} is not a JSON object`, { file: path });
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new LaconicError("checkpoint_missing", `${path} cannot be read`, { file: path }, error);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "w");
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
