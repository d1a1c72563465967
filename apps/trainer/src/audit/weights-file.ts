import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** A tensor in float64, matrices as [out, in] row by row. */
export interface Weight {
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

/** Tensors by name. */
export type Weights = ReadonlyMap<string, Weight>;

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
  const header = JSON.parse(bytes.subarray(8, 8 + length).toString("utf8")) as Record<string, Entry>;
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

/** A policy as a folder has it: its shape, its weights, and what the optimiser remembers. */
export interface StoredPolicy {
  readonly config: Readonly<Record<string, unknown>>;
  readonly weights: Weights;
  /** Optimiser steps taken. */
  readonly steps: number;
  readonly first: Weights;
  readonly second: Weights;
}

/** @returns null where the folder holds no whole model, such as an adapter's. */
export async function readPolicy(folder: string): Promise<StoredPolicy | null> {
  if (!["config.json", "model.safetensors"].every((name) => existsSync(join(folder, name)))) return null;
  const config = JSON.parse(await readFile(join(folder, "config.json"), "utf8")) as Record<string, unknown>;
  const { weights } = await readSafetensors(join(folder, "model.safetensors"));
  const file = join(folder, "optimizer.safetensors");
  const stored = existsSync(file) ? await readSafetensors(file) : { weights: new Map<string, Weight>(), metadata: {} };
  const part = (prefix: string): Weights =>
    new Map(
      Array.from(stored.weights).flatMap(([name, weight]) =>
        name.startsWith(prefix) ? [[name.slice(prefix.length), weight] as const] : [],
      ),
    );
  const { steps = "0" } = stored.metadata as { readonly steps?: string };
  return { config, weights, steps: Number(steps), first: part("first."), second: part("second.") };
}
