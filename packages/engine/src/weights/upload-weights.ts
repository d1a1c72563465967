import type { Kernels, Tensor } from "../kernels/index.ts";
import { allocateTogether, heldTensors, joinValues, writeValues } from "../transformer/weight-layout.ts";
import type { TensorSource } from "../transformer/parameters.ts";

/**
 * Reads and uploads tensor after tensor: the host holds those that lie in one on the device, whatever the size of the checkpoint.
 * The tensors live until they are freed; when one fails, none stays on the device.
 */
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

/** Puts stored tensors into the held ones that are there. */
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
