import type { Kernels } from "../kernels/index.ts";
import { tensorsIn } from "../kernels/tensors-in.ts";

/** Frees every tensor in a tensor, an array or a plain object, each once. */
export function freeTree(kernels: Kernels, value: unknown): void {
  kernels.free(...tensorsIn(value));
}
