import type { Kernels } from "@laconic/kernels";
import { tensorsIn } from "@laconic/kernels";

/** Frees every tensor in a tensor, an array or a plain object, each once. */
export function freeTree(kernels: Kernels, value: unknown): void {
  kernels.free(...tensorsIn(value));
}
