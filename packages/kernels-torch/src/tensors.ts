import { LaconicError } from "@laconic/core";
import type { Precision, Tensor } from "@laconic/engine/kernels";
import type { Handle, Torch } from "./native/torch.ts";

/** A contiguous torch tensor behind an opaque handle. */
export class TorchTensor implements Tensor {
  readonly shape: readonly number[];
  readonly dtype: "float" | "int32";
  readonly precision: Precision;
  handle: Handle;
  /** Smallest and largest number of an int32 tensor. */
  readonly range: readonly [least: number, most: number];
  /** What is worked out from this tensor once and freed with it, by name. */
  derived: Map<string, Handle> | null = null;

  constructor(
    handle: Handle,
    shape: readonly number[],
    dtype: "float" | "int32",
    precision: Precision,
    range: readonly [number, number],
  ) {
    this.handle = handle;
    this.precision = precision;
    this.shape = shape;
    this.dtype = dtype;
    this.range = range;
  }
}

/** Owns every tensor: scopes free them in one place, and use after free is an error instead of a crash. */
export class TensorStore {
  readonly #torch: Torch;
  readonly #scopes: Set<TorchTensor>[] = [];
  readonly #alive = new Set<TorchTensor>();

  constructor(torch: Torch) {
    this.#torch = torch;
  }

  get count(): number {
    return this.#alive.size;
  }

  /** Takes over the result of a kernel. */
  adopt(handle: Handle, shape: readonly number[], precision: Precision = "working"): TorchTensor {
    return this.#register(new TorchTensor(handle, shape, "float", precision, [0, 0]));
  }
  adoptInts(handle: Handle, shape: readonly number[], range: readonly [number, number]): TorchTensor {
    return this.#register(new TorchTensor(handle, shape, "int32", "full", range));
  }

  /** @throws LaconicError `engine_failed` for a tensor that was freed or belongs to another kernel set. */
  get(tensor: Tensor): TorchTensor {
    if (tensor instanceof TorchTensor && this.#alive.has(tensor)) return tensor;
    throw new LaconicError(
      "engine_failed",
      `a tensor of shape [${tensor.shape.join(", ")}] is used after it was freed or belongs to another kernel set`,
    );
  }

  /** Something that follows from a tensor's values, made at first use and freed with the tensor. */
  derive(tensor: TorchTensor, name: string, make: () => Handle): Handle {
    tensor.derived ??= new Map();
    let handle = tensor.derived.get(name);
    if (handle === undefined) {
      handle = this.#torch.apart(make);
      tensor.derived.set(name, handle);
    }
    return handle;
  }

  /** Keeps something with a tensor that is freed with it. */
  attach(tensor: TorchTensor, name: string, handle: Handle): void {
    tensor.derived ??= new Map();
    tensor.derived.set(name, handle);
  }

  /** @throws LaconicError `engine_failed` when nothing of that name was attached. */
  attached(tensor: TorchTensor, name: string): Handle {
    const handle = tensor.derived?.get(name);
    if (handle !== undefined) return handle;
    throw new LaconicError("engine_failed", `${name} is missing: the tensor does not come from the forward pass`);
  }

  /** Puts new data under a handle. */
  replace(tensor: TorchTensor, handle: Handle): void {
    this.#drop(tensor);
    tensor.handle = handle;
  }

  free(tensor: Tensor): void {
    const own = this.get(tensor);
    this.#drop(own);
    this.#alive.delete(own);
    for (const scope of this.#scopes) scope.delete(own);
  }
  keep(tensor: Tensor): void {
    const own = this.get(tensor);
    for (const scope of this.#scopes) scope.delete(own);
  }
  scope<T>(body: () => T): T {
    const own = new Set<TorchTensor>();
    this.#scopes.push(own);
    const kept = new Set<TorchTensor>();
    try {
      const result = body();
      collect(result, kept);
      return result;
    } finally {
      this.#scopes.pop();
      for (const tensor of own) if (!kept.has(tensor)) this.free(tensor);
      const outer = this.#scopes.at(-1);
      if (outer) for (const tensor of kept) if (own.has(tensor)) outer.add(tensor);
    }
  }
  dispose(): void {
    for (const tensor of this.#alive) this.free(tensor);
  }

  #register(tensor: TorchTensor): TorchTensor {
    this.#alive.add(tensor);
    this.#scopes.at(-1)?.add(tensor);
    return tensor;
  }
  #drop(tensor: TorchTensor): void {
    this.#torch.delete(tensor.handle);
    if (tensor.derived) for (const handle of tensor.derived.values()) this.#torch.delete(handle);
    tensor.derived = null;
  }
}

/** Finds the tensors in a tensor, an array, a map or a plain object. */
function collect(value: unknown, into: Set<TorchTensor>): void {
  if (value instanceof TorchTensor) into.add(value);
  else if (Array.isArray(value)) for (const item of value) collect(item, into);
  else if (value instanceof Map) for (const item of value.values()) collect(item, into);
  else if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype)
    for (const item of Object.values(value)) collect(item, into);
}
