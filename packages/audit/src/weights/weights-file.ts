import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { boundedJson } from "@laconic/core";
import { readObject } from "../folder/json-file.ts";

type Json = Readonly<Record<string, unknown>>;

/** A tensor in float64, matrices as [out, in] row by row. */
export interface Weight {
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

/** Tensors by name. */
export type Weights = ReadonlyMap<string, Weight>;

/** The same values, which no later change of the original reaches. */
export function copyOf(weights: Weights): Map<string, Weight> {
  return new Map(Array.from(weights, ([name, { shape, values }]) => [name, { shape, values: values.slice() }]));
}

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** Reads a safetensors file: eight bytes of length, a JSON header, raw numbers. @throws Error for a file that is none */
export async function readSafetensors(
  path: string,
): Promise<{ readonly weights: Weights; readonly metadata: Readonly<Record<string, string>> }> {
  const bytes = await readFile(path);
  const length = Number(bytes.readBigUInt64LE(0));
  const header = boundedJson(bytes.subarray(8, 8 + length).toString("utf8")) as Record<string, Entry>;
  const { __metadata__: metadata = {}, ...entries } = header as Record<string, Entry> & {
    readonly __metadata__?: unknown;
  };
  const weights = new Map<string, Weight>();
  for (const [
    name,
    {
      dtype,
      shape,
      data_offsets: [start, end],
    },
  ] of Object.entries(entries))
    weights.set(name, { shape, values: widened(bytes.subarray(8 + length + start, 8 + length + end), dtype) });
  return { weights, metadata: metadata as Record<string, string> };
}

function widened(bytes: Buffer, dtype: string): Float64Array {
  const list = (size: number, read: (at: number) => number): Float64Array =>
    Float64Array.from({ length: bytes.length / size }, (_, i) => read(size * i));
  switch (dtype) {
    case "F64":
      return list(8, (at) => bytes.readDoubleLE(at));
    case "F32":
      return list(4, (at) => bytes.readFloatLE(at));
    case "BF16":
      return list(2, (at) => Buffer.from([0, 0, bytes[at] as number, bytes[at + 1] as number]).readFloatLE(0));
    default:
      throw new Error(`numbers of type ${dtype} are not read by this audit`);
  }
}

/** What is trained of a policy, as a folder has it: a whole model's weights, or an adapter's factors. */
export interface TrainedWeights {
  /** The model's description; of an adapter its own. */
  readonly config: Json;
  readonly isAdapter: boolean;
  readonly weights: Weights;
  /** Optimiser steps taken. */
  readonly steps: number;
  readonly first: Weights;
  readonly second: Weights;
}

/** A policy that can be computed. */
export interface StoredPolicy extends Omit<TrainedWeights, "config"> {
  /** Of the model, or of the adapter's base. */
  readonly model: Json;
  /** The base's weights under an adapter; none of a whole model. */
  readonly frozen: Weights;
  /** α / r, or α / √r; 0 of a whole model. */
  readonly adapterScale: number;
}

/** A model that stays as it is. */
export interface BaseModel {
  readonly config: Json;
  readonly weights: Weights;
}

const adapterPrefix = "base_model.model.";

/** @returns null where the folder holds neither a model nor an adapter */
export async function readTrained(folder: string): Promise<TrainedWeights | null> {
  const has = (name: string): boolean => existsSync(join(folder, name));
  const isAdapter = has("adapter_config.json") && has("adapter_model.safetensors");
  if (!isAdapter && !has("config.json")) return null;
  const weights = isAdapter
    ? (await readSafetensors(join(folder, "adapter_model.safetensors"))).weights
    : await readShards(folder);
  if (weights.size === 0) return null;
  const file = join(folder, "optimizer.safetensors");
  const stored = existsSync(file) ? await readSafetensors(file) : { weights: new Map<string, Weight>(), metadata: {} };
  const { steps = "0" } = stored.metadata as { readonly steps?: string };
  return {
    config: await readObject(join(folder, isAdapter ? "adapter_config.json" : "config.json")),
    isAdapter,
    weights: isAdapter ? renamed(weights, adapterPrefix) : weights,
    steps: Number(steps),
    first: renamed(stored.weights, "first."),
    second: renamed(stored.weights, "second."),
  };
}

/** @returns null where the folder holds no whole model */
export async function readBase(folder: string): Promise<BaseModel | null> {
  if (!existsSync(join(folder, "config.json"))) return null;
  const weights = await readShards(folder);
  return weights.size === 0 ? null : { config: await readObject(join(folder, "config.json")), weights };
}

/** @returns why it cannot be computed, in words */
export function policyOf({ config, ...trained }: TrainedWeights, base: BaseModel | null): StoredPolicy | string {
  if (!trained.isAdapter) return { ...trained, model: config, frozen: new Map(), adapterScale: 0 };
  if (!base) return "the model under the adapter is not there";
  const [rank, alpha, dropout] = ["r", "lora_alpha", "lora_dropout"].map((key) => Number(config[key] ?? 0));
  if (!(rank! > 0)) return "the adapter's rank is not known";
  if (dropout! > 0) return "the adapter was trained with dropout, whose masks are not recorded";
  const adapterScale = alpha! / (config["use_rslora"] === true ? Math.sqrt(rank!) : rank!);
  return { ...trained, model: base.config, frozen: base.weights, adapterScale };
}

/** Of `model.safetensors`, or of all parts of a model that lies in several. */
async function readShards(folder: string): Promise<Weights> {
  const weights = new Map<string, Weight>();
  for (const name of (await readdir(folder)).filter((each) => /^model[\w.-]*\.safetensors$/u.test(each)).toSorted())
    for (const [key, weight] of (await readSafetensors(join(folder, name))).weights) weights.set(key, weight);
  return weights;
}

/** Those whose names begin so, without it. */
function renamed(weights: Weights, prefix: string): Weights {
  return new Map(
    Array.from(weights).flatMap(([name, weight]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), weight] as const] : [],
    ),
  );
}
