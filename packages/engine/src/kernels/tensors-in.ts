import type { Tensor } from "./contract.ts";

/** Every tensor in a tensor, an array, a map or a plain object, each once. */
export function tensorsIn(value: unknown): Set<Tensor> {
  const found = new Set<Tensor>();
  collect(value, found);
  return found;
}

function collect(value: unknown, into: Set<Tensor>): void {
  if (typeof value !== "object" || value === null) return;
  if ("shape" in value && "dtype" in value) into.add(value as Tensor);
  else if (Array.isArray(value)) for (const item of value) collect(item, into);
  else if (value instanceof Map) for (const item of value.values()) collect(item, into);
  else if (Object.getPrototypeOf(value) === Object.prototype)
    for (const item of Object.values(value)) collect(item, into);
}
