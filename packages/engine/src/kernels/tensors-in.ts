import type { Tensor } from "./contract.ts";

/** Every tensor in a tensor, an array or a plain object, each once. */
export function tensorsIn(value: unknown): Set<Tensor> {
  const found = new Set<Tensor>();
  collect(value, found);
  return found;
}

function collect(value: unknown, into: Set<Tensor>): void {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  if ("shape" in value && "dtype" in value) into.add(value as Tensor);
  else for (const item of Object.values(value)) collect(item, into);
}
