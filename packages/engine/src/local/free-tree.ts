import type { Kernels, Tensor } from "../kernels/index.ts";

/** Frees every tensor in a tensor, an array or a plain object, each once. */
export function freeTree(kernels: Kernels, value: unknown): void {
  const found = new Set<Tensor>();
  collect(value, found);
  kernels.free(...found);
}

function collect(value: unknown, into: Set<Tensor>): void {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  if ("shape" in value && "dtype" in value) into.add(value as Tensor);
  else for (const item of Object.values(value)) collect(item, into);
}
