import { LaconicError } from "@laconic/core";
import type { Kernels, Tensor } from "./contract.ts";

/**
 * Who owns which tensor, for any kernel set: scopes free what was made in them in one place, and use after free is an error
 * instead of a wrong number or a crash. Each tensor is in the innermost scope it was made in, or in none.
 */
export class TensorScopes<T extends Tensor> {
  readonly #drop: (tensor: T) => void;
  readonly #scopes: Set<T>[] = [];
  readonly #alive = new Set<T>();

  /** @param drop - gives a tensor's memory back to the device */
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

  /** @throws LaconicError `engine_failed` for a tensor that was freed or belongs to another kernel set */
  get(tensor: Tensor): T {
    if (this.owns(tensor)) return tensor;
    throw new LaconicError(
      "engine_failed",
      `a tensor of shape [${tensor.shape.join(", ")}] is used after it was freed or belongs to another kernel set`,
    );
  }

  /** @throws LaconicError `engine_failed`, as `get` does */
  free(tensor: Tensor): void {
    const own = this.get(tensor);
    this.#drop(own);
    this.#alive.delete(own);
    for (const scope of this.#scopes) scope.delete(own);
  }

  /** Takes a tensor out of every scope: it lives until it is freed. */
  keep(tensor: Tensor): void {
    const own = this.get(tensor);
    for (const scope of this.#scopes) scope.delete(own);
  }

  /** `scope`, `keep` and `free` of a kernel set whose tensors these are. */
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

  /** Frees what the body made and did not return, also when it throws. What it returns moves to the scope around. */
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

  protected owns(tensor: Tensor): tensor is T {
    return this.#alive.has(tensor as T);
  }
}

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
