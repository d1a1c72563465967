import { LaconicError } from "@laconic/core";
import type { Tensor } from "@laconic/engine/kernels";
import type { Tensor as TfTensor } from "@tensorflow/tfjs-core";

/** A handle over one TensorFlow.js tensor. An update in place swaps the tensor underneath; the handle stays. */
export class Handle implements Tensor {
  readonly shape: readonly number[];
  readonly dtype: "float" | "int32";
  data: TfTensor;
  /** Smallest and largest number of an int32 tensor, known without asking the device. */
  readonly range: readonly [least: number, most: number];
  /** What is worked out from this tensor once and freed with it, by name. */
  readonly derived: Map<string, TfTensor> = new Map();

  constructor(data: TfTensor, dtype: "float" | "int32", range: readonly [number, number]) {
    this.shape = data.shape;
    this.dtype = dtype;
    this.data = data;
    this.range = range;
  }
}

/** Owns every handle: scopes free them in one place, and use after free is an error instead of a wrong number. */
export class HandleStore {
  readonly #scopes: Set<Handle>[] = [];
  readonly #alive = new Set<Handle>();

  get count(): number {
    return this.#alive.size;
  }

  adopt(data: TfTensor): Handle {
    return this.#register(new Handle(data, "float", [0, 0]));
  }
  adoptInts(data: TfTensor, range: readonly [number, number]): Handle {
    return this.#register(new Handle(data, "int32", range));
  }

  /** @throws LaconicError `engine_failed` for a tensor that was freed or belongs to another kernel set */
  get(tensor: Tensor): Handle {
    if (tensor instanceof Handle && this.#alive.has(tensor)) return tensor;
    throw new LaconicError(
      "engine_failed",
      `a tensor of shape [${tensor.shape.join(", ")}] is used after it was freed or belongs to another kernel set`,
    );
  }

  /** Puts new data under a handle. */
  replace(tensor: Tensor, data: TfTensor): void {
    const handle = this.get(tensor);
    drop(handle);
    handle.data = data;
  }

  free(tensor: Tensor): void {
    const handle = this.get(tensor);
    drop(handle);
    this.#alive.delete(handle);
    for (const scope of this.#scopes) scope.delete(handle);
  }
  keep(tensor: Tensor): void {
    const handle = this.get(tensor);
    for (const scope of this.#scopes) scope.delete(handle);
  }
  scope<T>(body: () => T): T {
    const own = new Set<Handle>();
    this.#scopes.push(own);
    const kept = new Set<Handle>();
    try {
      const result = body();
      collect(result, kept);
      return result;
    } finally {
      this.#scopes.pop();
      for (const handle of own) if (!kept.has(handle)) this.free(handle);
      const outer = this.#scopes.at(-1);
      if (outer) for (const handle of kept) if (own.has(handle)) outer.add(handle);
    }
  }
  dispose(): void {
    for (const handle of this.#alive) this.free(handle);
  }

  #register(handle: Handle): Handle {
    this.#alive.add(handle);
    this.#scopes.at(-1)?.add(handle);
    return handle;
  }
}

function drop(handle: Handle): void {
  handle.data.dispose();
  for (const data of handle.derived.values()) data.dispose();
  handle.derived.clear();
}

/** Finds the tensors in a tensor, an array, a map or a plain object. */
function collect(value: unknown, into: Set<Handle>): void {
  if (value instanceof Handle) into.add(value);
  else if (Array.isArray(value)) for (const item of value) collect(item, into);
  else if (value instanceof Map) for (const item of value.values()) collect(item, into);
  else if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype)
    for (const item of Object.values(value)) collect(item, into);
}
