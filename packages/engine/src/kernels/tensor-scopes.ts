import { LaconicError } from "@laconic/core";
import type { Kernels, Tensor } from "./contract.ts";

/** Ownership of tensors. Each belongs to its innermost scope, or to none; use after free is an error. */
export class TensorScopes<T extends Tensor> {
  readonly #drop: (tensor: T) => void;
  readonly #scopes: Set<T>[] = [];
  readonly #alive = new Set<T>();

  /** @param drop - frees device memory */
  constructor(drop: (tensor: T) => void) {
    this.#drop = drop;
  }

  get count(): number {
    return this.#alive.size;
  }

  adopt(tensor: T): T {
    this.#alive.add(tensor);
    this.#scopes.at(-1)?.add(tensor);
    return tensor;
  }

  /** @throws LaconicError `engine_failed` for a freed tensor */
  get(tensor: Tensor): T {
    if (this.#alive.has(tensor as T)) return tensor as T;
    throw new LaconicError(
      "engine_failed",
      `a tensor of shape [${tensor.shape.join(", ")}] is used after it was freed or belongs to another kernel set`,
    );
  }

  free(tensor: Tensor): void {
    const handle = this.get(tensor);
    this.#drop(handle);
    this.#alive.delete(handle);
    for (const scope of this.#scopes) scope.delete(handle);
  }

  keep(tensor: Tensor): void {
    const handle = this.get(tensor);
    for (const scope of this.#scopes) scope.delete(handle);
  }

  /** Members of a kernel set. */
  kernels(): Pick<Kernels, "scope" | "keep" | "free"> {
    return {
      scope: (body) => this.scope(body),
      keep: (tensor) => {
        this.keep(tensor);
        return tensor;
      },
      free: (...tensors) => {
        for (const tensor of tensors) this.free(tensor);
      },
    };
  }

  /** Frees tensors made in the body, also on errors. Returned ones move outward. */
  scope<Result>(body: () => Result): Result {
    const made = new Set<T>();
    this.#scopes.push(made);
    let returned: ReadonlySet<Tensor> = new Set();
    try {
      const result = body();
      returned = tensorsIn(result);
      return result;
    } finally {
      this.#scopes.pop();
      for (const tensor of made) {
        if (!returned.has(tensor)) this.free(tensor);
        else this.#scopes.at(-1)?.add(tensor);
      }
    }
  }

  dispose(): void {
    for (const tensor of this.#alive) this.free(tensor);
  }
}

/** Tensors in a tensor, array, map or plain object. */
export function tensorsIn(value: unknown): Set<Tensor> {
  const tensors = new Set<Tensor>();
  collect(value, tensors);
  return tensors;
}

function collect(value: unknown, into: Set<Tensor>): void {
  if (typeof value !== "object" || value === null) return;
  if ("shape" in value && "dtype" in value) into.add(value as Tensor);
  else if (Array.isArray(value)) for (const item of value) collect(item, into);
  else if (value instanceof Map) for (const item of value.values()) collect(item, into);
  else if (Object.getPrototypeOf(value) === Object.prototype)
    for (const item of Object.values(value)) collect(item, into);
}
