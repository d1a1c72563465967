import type { Kernels, Tensor } from "@laconic/kernels";
import type { TensorSource } from "./safetensors-file.ts";

/**
 * Reads and uploads tensor after tensor: the host holds one at a time, whatever the size of the checkpoint.
 * The tensors live until they are freed; when one fails, none stays on the device.
 */
export async function uploadWeights(
  kernels: Kernels,
  sources: ReadonlyMap<string, TensorSource>,
): Promise<Map<string, Tensor>> {
  const tensors = new Map<string, Tensor>();
  try {
    for (const [name, { shape, read }] of sources) tensors.set(name, kernels.keep(kernels.upload(await read(), shape)));
    return tensors;
  } catch (error) {
    kernels.free(...tensors.values());
    throw error;
  }
}
