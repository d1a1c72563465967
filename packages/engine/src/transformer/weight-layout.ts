import { sizeOf, type Kernels, type Precision, type Tensor } from "../kernels/index.ts";
import type { TensorSource } from "./parameters.ts";

export interface HeldTensor {
  readonly shape: readonly number[];
  readonly parts: readonly { readonly name: string; readonly shape: readonly number[] }[];
}

type Shapes = ReadonlyMap<string, readonly number[]>;

/** A single product computes projections of one input. */
const merged: readonly { readonly pattern: RegExp; readonly name: string }[] = [
  { pattern: /\.self_attn\.[qkv]_proj\.(weight|bias)$/, name: ".self_attn.qkv_proj.$1" },
  { pattern: /\.mlp\.(?:gate|up)_proj\.(weight|bias)$/, name: ".mlp.gate_up_proj.$1" },
];

/** Ordered as in the checkpoint. */
export function heldTensors(shapes: Shapes): Map<string, HeldTensor> {
  const held = new Map<string, HeldTensor>();
  for (const [name, shape] of shapes) {
    const there = merged.find(({ pattern }) => pattern.test(name));
    const location = there ? name.replace(there.pattern, there.name) : name;
    const before = held.get(location);
    const rows = (before?.shape[0] ?? 0) + shape[0]!;
    held.set(location, { shape: [rows, ...shape.slice(1)], parts: [...(before?.parts ?? []), { name, shape }] });
  }
  return held;
}

export function heldShapes(shapes: Shapes): Map<string, readonly number[]> {
  return shapesOf(heldTensors(shapes));
}

/** Allocates matrices, which decay, before vectors, at once if possible. */
export function allocateTogether(kernels: Kernels, shapes: Shapes, precision?: Precision): Map<string, Tensor> {
  const names = [...shapes.keys()];
  const isMatrix = (name: string): boolean => shapes.get(name)!.length >= 2;
  const order = [...names.filter(isMatrix), ...names.filter((name) => !isMatrix(name))];
  const ordered = order.map((name) => shapes.get(name)!);
  const tensors = kernels.scope(() => kernels.together(ordered, precision).map((tensor) => kernels.keep(tensor)));
  const byName = new Map(order.map((name, i) => [name, tensors[i]!]));
  return new Map(names.map((name) => [name, byName.get(name)!]));
}

export function copyTogether(
  kernels: Kernels,
  tensors: ReadonlyMap<string, Tensor>,
  precision?: Precision,
): Map<string, Tensor> {
  const copies = allocateTogether(kernels, shapesOf(tensors), precision);
  kernels.assign([...copies.values()], [...tensors.values()]);
  return copies;
}

export function shapesOf(tensors: ReadonlyMap<string, Pick<Tensor, "shape">>): Map<string, readonly number[]> {
  return new Map(Array.from(tensors, ([name, { shape }]) => [name, shape]));
}

export function joinValues(parts: readonly (Float32Array | Float64Array)[]): Float32Array | Float64Array {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const whole = parts.some((part) => part instanceof Float64Array)
    ? new Float64Array(length)
    : new Float32Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

export function writeValues(kernels: Kernels, into: Tensor, values: Float32Array | Float64Array): void {
  kernels.scope(() => kernels.assign([into], [kernels.upload(values, into.shape, "full")]));
}

/** @param start - elements before the part */
export async function readPart(
  kernels: Kernels,
  tensor: Tensor,
  start: number,
  shape: readonly number[],
): Promise<Float32Array | Float64Array> {
  const [length, whole] = [sizeOf(shape), sizeOf(tensor.shape)];
  if (length === whole) return (await kernels.read(tensor)) as Float32Array | Float64Array;
  const part = kernels.scope(() => kernels.columns(kernels.reshape(tensor, [1, whole]), start, length));
  try {
    return (await kernels.read(part)) as Float32Array | Float64Array;
  } finally {
    kernels.free(part);
  }
}

export function storedParts(
  shapes: Shapes,
): { readonly name: string; readonly shape: readonly number[]; readonly held: string; readonly start: number }[] {
  const heldBy = Array.from(heldTensors(shapes), ([held, { parts }]) =>
    parts.map((part) => [part.name, held] as const),
  );
  const heldOf = new Map(heldBy.flat());
  const ends = new Map<string, number>();
  return Array.from(shapes, ([name, shape]) => {
    const held = heldOf.get(name)!;
    const start = ends.get(held) ?? 0;
    ends.set(held, start + sizeOf(shape));
    return { name, shape, held, start };
  });
}

/** Holds one device tensor at a time on the host; after an error, none remains. */
export async function uploadWeights(
  kernels: Kernels,
  sources: ReadonlyMap<string, TensorSource>,
): Promise<Map<string, Tensor>> {
  const tensors = allocateTogether(kernels, heldShapes(shapesOf(sources)));
  try {
    await writeSources(kernels, tensors, sources);
    return tensors;
  } catch (error) {
    kernels.free(...tensors.values());
    throw error;
  }
}

export async function writeSources(
  kernels: Kernels,
  tensors: ReadonlyMap<string, Tensor>,
  sources: ReadonlyMap<string, TensorSource>,
): Promise<void> {
  for (const [name, { parts }] of heldTensors(shapesOf(sources))) {
    const values: (Float32Array | Float64Array)[] = [];
    for (const part of parts) values.push(await sources.get(part.name)!.read());
    writeValues(kernels, tensors.get(name)!, joinValues(values));
  }
}
