import { LaconicError } from "@laconic/core";
import { sizeOf, TensorScopes, type Precision, type Tensor } from "@laconic/engine/kernels";
import type { Placement } from "./arena.ts";
import { MemoryPool, type Block } from "./memory-pool.ts";
import type { ScalarType } from "./native/scalar-type.ts";
import type { Handle, Torch } from "./native/torch.ts";

/** A torch tensor behind an opaque handle: contiguous, or columns of a matrix. */
export class TorchTensor implements Tensor {
  readonly shape: readonly number[];
  readonly dtype: "float" | "int32";
  readonly precision: Precision;
  handle: Handle;
  /** Smallest and largest number of an int32 tensor. */
  range: readonly [least: number, most: number];
  /** What is worked out from this tensor once and freed with it, by name. */
  derived: Map<string, Handle> | null = null;
  /** Elements from one row of a matrix to the next where they are more than its width: it is columns of another one. */
  rowStride: number | null = null;
  /** The matrix of which it is columns from `start` on; the same object for all columns of one. */
  columnsOf: { readonly matrix: object; readonly start: number } | null = null;
  /** Whose memory its handle looks at and owns, where it is columns or another shape: it lives as long as they do. */
  base: TorchTensor | null = null;
  /** Itself, while it is not freed, and the tensors that look at its memory. */
  users = 1;
  /** Looks at its memory, by name; freed with it, whatever happens to its values. */
  views: Map<string, Handle> = new Map();
  /** Its memory may serve another tensor of its shape. */
  reusable = false;
  /** Its memory, where that is the pool's: handle and views are the block's, not its own. */
  block: Block | null = null;
  /** Where it lies, if it shares an allocation with others. */
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

/** Owns every tensor, and what is worked out from it. */
export class TensorStore extends TensorScopes<TorchTensor> {
  readonly #torch: Torch;
  /** Null on a GPU, whose library pools memory itself. */
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

  /** Memory that was freed inside serves again inside, and is given back at the end of the outermost scope. */
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

  /**
   * A float tensor for `fill` to write, in memory that serves again and again: on the CPU the pool's, on a GPU that of a few
   * small tensors of the same shape, as the layers of a decode step make them.
   */
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
        return [];
      });
    } catch (error) {
      this.free(tensor);
      throw error;
    }
    return tensor;
  }

  view(tensor: TorchTensor, name: string, make: () => Handle): Handle {
    let handle = tensor.views.get(name);
    if (handle === undefined) {
      handle = this.#torch.apart(make);
      tensor.views.set(name, handle);
    }
    return handle;
  }

  /** Takes over the result of a kernel. */
  adoptFloats(handle: Handle, shape: readonly number[], precision: Precision = "working"): TorchTensor {
    return this.adopt(new TorchTensor(handle, shape, "float", precision, [0, 0]));
  }
  adoptInts(handle: Handle, shape: readonly number[], range: readonly [number, number]): TorchTensor {
    return this.adopt(new TorchTensor(handle, shape, "int32", "full", range));
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

  /** The same memory under another shape, by a handle that the tensor's views have. */
  adoptShape(handle: Handle, shape: readonly number[], base: TorchTensor): TorchTensor {
    const tensor = this.adoptFloats(handle, shape, base.precision);
    tensor.base = base;
    base.users += 1;
    return tensor;
  }

  /**
   * Some columns of a matrix, by a handle of strided memory.
   * @param base - the tensor whose view the handle is; without one the handle is the columns' own
   */
  adoptColumns(
    handle: Handle,
    shape: readonly [number, number],
    place: { readonly matrix: object; readonly start: number; readonly stride: number },
    precision: Precision = "working",
    base: TorchTensor | null = null,
  ): TorchTensor {
    const tensor = this.adoptFloats(handle, shape, precision);
    if (place.stride !== shape[1]) tensor.rowStride = place.stride;
    tensor.columnsOf = place;
    tensor.base = base;
    if (base) base.users += 1;
    return tensor;
  }

  /** Puts new data under a handle that shares its memory with nothing. */
  replace(tensor: TorchTensor, handle: Handle): void {
    this.changed(tensor);
    if (tensor.block) this.#pool?.give(tensor.block);
    else this.#deleteAll(tensor);
    tensor.block = null;
    tensor.views = new Map();
    tensor.handle = handle;
  }

  /** Forgets what was worked out from a tensor whose values have changed. */
  changed(tensor: TorchTensor, range: readonly [number, number] = tensor.range): void {
    for (const handle of tensor.derived?.values() ?? []) this.#torch.delete(handle);
    tensor.derived = null;
    tensor.range = range;
  }

  #pooled(pool: MemoryPool, shape: readonly number[], type: ScalarType, precision: Precision): TorchTensor {
    const block = pool.take(sizeOf(shape), type);
    const views = pool.viewsOf(block, shape);
    const tensor = this.adoptFloats(views.get("") as Handle, shape, precision);
    tensor.views = views;
    tensor.block = block;
    return tensor;
  }

  #spared(shape: readonly number[], type: ScalarType, precision: Precision): TorchTensor {
    const reusable = precision === "working" && sizeOf(shape) <= maxReused;
    const at = reusable ? this.#spares.findIndex((spare) => spare.shape.every((length, i) => length === shape[i])) : -1;
    const [spare] = at < 0 ? [] : this.#spares.splice(at, 1);
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
    // With an arena ends what used it, such as an update with its gradients.
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

/** Elements of the largest tensor whose memory is reused: what decode steps make, not what training passes hold. */
const maxReused = 1 << 22;

const maxSpares = 4;
