import { LaconicError } from "@laconic/core";
import type { Tensor, Kernels } from "./contract.ts";

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

/** Array in a device's memory. */
export interface DeviceArray {
  readonly shape: readonly number[];
  readonly dtype: string;
  dispose(): void;
}

/** Tensor over a replaceable device array. */
export class Handle<Data extends DeviceArray> implements Tensor {
  readonly shape: readonly number[];
  readonly dtype: "float" | "int32";
  data: Data;
  /** Bounds, known without a device read. */
  range: readonly [min: number, max: number];
  /** Freed when the tensor changes. */
  readonly derived: Map<string, Data> = new Map();

  constructor(data: Data, dtype: "float" | "int32", range: readonly [min: number, max: number]) {
    this.shape = data.shape;
    this.dtype = dtype;
    this.data = data;
    this.range = range;
  }

  forget(): void {
    for (const data of this.derived.values()) data.dispose();
    this.derived.clear();
  }
}

/** Owns the tensors of a kernel set. */
export class HandleStore<Data extends DeviceArray> extends TensorScopes<Handle<Data>> {
  constructor() {
    super(disposeOf);
  }

  adoptFloats(data: Data): Handle<Data> {
    return this.adopt(new Handle(data, "float", [0, 0]));
  }

  adoptInts(data: Data, range: readonly [min: number, max: number]): Handle<Data> {
    return this.adopt(new Handle(data, "int32", range));
  }

  adoptLike(tensor: Tensor, data: Data): Handle<Data> {
    const { dtype, range } = this.get(tensor);
    return this.adopt(new Handle(data, dtype, range));
  }

  /** Caches an array until the tensor changes. */
  derive(tensor: Tensor, name: string, make: () => Data): Data {
    const { derived } = this.get(tensor);
    const data = derived.get(name) ?? make();
    derived.set(name, data);
    return data;
  }

  replace(tensor: Tensor, data: Data): void {
    const handle = this.get(tensor);
    disposeOf(handle);
    handle.data = data;
  }
}

function disposeOf<Data extends DeviceArray>(handle: Handle<Data>): void {
  handle.data.dispose();
  handle.forget();
}
