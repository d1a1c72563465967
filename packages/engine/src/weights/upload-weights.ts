import type { Kernels, Tensor } from "../kernels/index.ts";
import { allocateTogether, heldTensors, joinValues, writeValues } from "../transformer/weight-layout.ts";
import type { TensorSource } from "../transformer/parameters.ts";

/** The host holds one device tensor at a time. Tensors live until freed; after an error, none remains. */
export async function uploadWeights(
  kernels: Kernels,
  sources: ReadonlyMap<string, TensorSource>,
): Promise<Map<string, Tensor>> {
  const held = heldTensors(new Map(Array.from(sources, ([name, { shape }]) => [name, shape])));
  const tensors = allocateTogether(kernels, new Map(Array.from(held, ([name, { shape }]) => [name, shape])));
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
  const held = heldTensors(new Map(Array.from(sources, ([name, { shape }]) => [name, shape])));
  for (const [name, { parts }] of held) {
    const values: (Float32Array | Float64Array)[] = [];
    for (const part of parts) values.push(await (sources.get(part.name) as TensorSource).read());
    writeValues(kernels, tensors.get(name) as Tensor, joinValues(values));
  }
}
