import { LaconicError } from "@laconic/core";
import { sizeOf, TensorScopes, type Precision, type Tensor } from "@laconic/engine/kernels";
import type { Placement } from "./arena.ts";
import { MemoryPool, type Block } from "./memory-pool.ts";
import type { ScalarType } from "./native/scalar-type.ts";
import type { Handle, Torch } from "./native/torch.ts";

/** Torch tensor: contiguous, or columns of a matrix. */
export class TorchTensor implements Tensor {
  readonly shape: readonly number[];
  readonly dtype: "float" | "int32";
  readonly precision: Precision;
  handle: Handle;
  /** Bounds of int32 values. */
  range: readonly [least: number, most: number];
  /** Derived handles by name, freed with the tensor. */
  derived: Map<string, Handle> | null = null;
  /** Elements between rows; null if contiguous. */
  rowStride: number | null = null;
  /** Columns of one matrix share the object. */
  columnsOf: { readonly matrix: object; readonly start: number } | null = null;
  /** Tensor whose memory this view keeps alive. */
  base: TorchTensor | null = null;
  /** This tensor plus its views. */
  users = 1;
  /** Freed with the tensor, not when its values change. */
  views: Map<string, Handle> = new Map();
  reusable = false;
  block: Block | null = null;
  placement: Placement | null = null;

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

export class TensorStore extends TensorScopes<TorchTensor> {
  readonly #torch: Torch;
  /** Null on a GPU, whose library pools memory. */
  readonly #pool: MemoryPool | null;
  readonly #spares: Spare[] = [];
  #depth = 0;

  constructor(torch: Torch) {
    super((tensor) => this.#drop(tensor));
    this.#torch = torch;
    this.#pool = torch.device === "cpu" ? new MemoryPool(torch) : null;
  }

  trim(): void {
    this.#pool?.clear();
  }

  override dispose(): void {
    super.dispose();
    this.trim();
  }

  forget(tensor: TorchTensor, name: string): void {
    const handle = tensor.derived?.get(name);
    if (handle === undefined) return;
    tensor.derived?.delete(name);
    this.#torch.delete(handle);
  }

  /** Reuses memory freed inside until the outermost scope ends. */
  override scope<Result>(body: () => Result): Result {
    this.#depth += 1;
    try {
      return super.scope(body);
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0) {
        for (const spare of this.#spares.splice(0)) this.#deleteAll(spare);
        this.#pool?.age();
      }
    }
  }

  /** Float tensor in reused memory for `fill` to write. */
  refill(
    shape: readonly number[],
    type: ScalarType,
    fill: (tensor: TorchTensor) => void,
    precision: Precision = "working",
  ): TorchTensor {
    const tensor = this.#pool ? this.#pooled(this.#pool, shape, type, precision) : this.#spared(shape, type, precision);
    try {
      this.#torch.run(() => {
        fill(tensor);
      });
    } catch (error) {
      this.free(tensor);
      throw error;
    }
    return tensor;
  }

  view(tensor: TorchTensor, name: string, make: () => Handle): Handle {
    return this.#cached(tensor.views, name, make);
  }

  adoptFloats(handle: Handle, shape: readonly number[], precision: Precision = "working"): TorchTensor {
    return this.adopt(new TorchTensor(handle, shape, "float", precision, [0, 0]));
  }
  adoptInts(handle: Handle, shape: readonly number[], range: readonly [number, number]): TorchTensor {
    return this.adopt(new TorchTensor(handle, shape, "int32", "full", range));
  }

  derive(tensor: TorchTensor, name: string, make: () => Handle): Handle {
    return this.#cached((tensor.derived ??= new Map()), name, make);
  }

  #cached(handles: Map<string, Handle>, name: string, make: () => Handle): Handle {
    let handle = handles.get(name);
    if (handle === undefined) handles.set(name, (handle = this.#torch.apart(make)));
    return handle;
  }

  attach(tensor: TorchTensor, name: string, handle: Handle): void {
    tensor.derived ??= new Map();
    tensor.derived.set(name, handle);
  }

  attached(tensor: TorchTensor, name: string): Handle {
    const handle = tensor.derived?.get(name);
    if (handle !== undefined) return handle;
    throw new LaconicError("engine_failed", `${name} is missing: the tensor does not come from the forward pass`);
  }

  adoptShape(handle: Handle, shape: readonly number[], base: TorchTensor): TorchTensor {
    const tensor = this.adoptFloats(handle, shape, base.precision);
    tensor.base = base;
    base.users += 1;
    return tensor;
  }

  /** @param base - tensor whose view the handle is, or null */
  adoptColumns(
    handle: Handle,
    shape: readonly [number, number],
    location: { readonly matrix: object; readonly start: number; readonly stride: number },
    precision: Precision = "working",
    base: TorchTensor | null = null,
  ): TorchTensor {
    const tensor = this.adoptFloats(handle, shape, precision);
    if (location.stride !== shape[1]) tensor.rowStride = location.stride;
    tensor.columnsOf = location;
    tensor.base = base;
    if (base) base.users += 1;
    return tensor;
  }

  changed(tensor: TorchTensor, range: readonly [number, number] = tensor.range): void {
    for (const handle of tensor.derived?.values() ?? []) this.#torch.delete(handle);
    tensor.derived = null;
    tensor.range = range;
  }

  #pooled(pool: MemoryPool, shape: readonly number[], type: ScalarType, precision: Precision): TorchTensor {
    const block = pool.take(sizeOf(shape), type);
    const views = pool.viewsOf(block, shape);
    const tensor = this.adoptFloats(views.get("")!, shape, precision);
    tensor.views = views;
    tensor.block = block;
    return tensor;
  }

  #spared(shape: readonly number[], type: ScalarType, precision: Precision): TorchTensor {
    const reusable = precision === "working" && sizeOf(shape) <= maxReused;
    const index = reusable
      ? this.#spares.findIndex((spare) => spare.shape.every((length, i) => length === shape[i]))
      : -1;
    const [spare] = index < 0 ? [] : this.#spares.splice(index, 1);
    const handle = spare?.handle ?? this.#torch.run(() => this.#torch.empty(shape, type));
    const tensor = this.adoptFloats(handle, shape, precision);
    if (spare) tensor.views = spare.views;
    tensor.reusable = reusable;
    return tensor;
  }

  #drop(tensor: TorchTensor): void {
    this.changed(tensor);
    this.#release(tensor);
  }

  #release(tensor: TorchTensor): void {
    tensor.users -= 1;
    if (tensor.users > 0) return;
    const { base, handle, views, shape, reusable, block } = tensor;
    // An arena's users end with it.
    if (tensor.placement?.arena.leave() === true) this.trim();
    if (block) this.#pool?.give(block);
    else if (base) {
      for (const view of views.values()) this.#torch.delete(view);
      this.#release(base);
    } else if (reusable && this.#depth > 0 && this.#spares.length < maxSpares)
      this.#spares.push({ handle, views, shape });
    else this.#deleteAll({ handle, views });
  }

  #deleteAll({ handle, views }: Pick<Spare, "handle" | "views">): void {
    this.#torch.delete(handle);
    for (const view of views.values()) this.#torch.delete(view);
  }
}

interface Spare {
  readonly handle: Handle;
  readonly views: Map<string, Handle>;
  readonly shape: readonly number[];
}

const maxReused = 1 << 22;

const maxSpares = 4;
