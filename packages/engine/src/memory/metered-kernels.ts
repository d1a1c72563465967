import { LaconicError } from "@laconic/core";
import { sizeOf, tensorsIn } from "../kernels/index.ts";
import type { GradientPlaces, Kernels, KeyValueCache, Precision, Tensor } from "../kernels/index.ts";
import { elementBytes, type ElementBytes } from "./element-bytes.ts";
import type { ScratchBytes } from "./scratch-bytes.ts";

/** Results in full precision, by name. */
const fullResults: ReadonlySet<string> = new Set([
  "logProbs",
  "topLogProbs",
  "entropy",
  "logSumExp",
  "invRms",
  "dWeight",
  "dBias",
]);
const fullOperations: ReadonlySet<string> = new Set(["headLogits", "sumSquares"]);
/** Results with the precision of the first tensor. */
const carryingOperations: ReadonlySet<string> = new Set([
  "copy",
  "reshape",
  "add",
  "multiply",
  "scaled",
  "gatherRows",
  "pickRows",
]);

/** Freed with its last tensor. */
interface Block {
  readonly bytes: number;
  users: number;
}

export interface MeterOptions {
  /** Operations above this limit fail with `device_out_of_memory`. */
  readonly limitBytes?: number;
  /** Element sizes to count. Default: those of the set. */
  readonly bytes?: ElementBytes;
  /** Temporary bytes; counted only in the peak. */
  readonly scratch?: ScratchBytes;
  /** Columns, reshapes and both gradients of `swiGlu` share memory, as in libtorch. */
  readonly sharing?: boolean;
}

/** Counts bytes of tensors and caches, with an optional limit. */
export class MeteredKernels {
  readonly kernels: Kernels;
  readonly #inner: Kernels;
  readonly #limitBytes: number;
  readonly #width: ElementBytes;
  readonly #scratch: ScratchBytes;
  readonly #sharing: boolean;
  readonly #blocks = new Map<Tensor | KeyValueCache, Block>();
  readonly #precisions = new WeakMap<Tensor, Precision>();
  /** Tensors by scope, innermost last. */
  readonly #scopes: Set<Tensor>[] = [];
  #alive = 0;
  #peak = 0;

  constructor(inner: Kernels, options: MeterOptions = {}) {
    this.#inner = inner;
    this.#limitBytes = options.limitBytes ?? Infinity;
    this.#width = options.bytes ?? elementBytes[inner.dtype];
    this.#scratch = options.scratch ?? (() => 0);
    this.#sharing = options.sharing ?? false;
    const own = this.#lifetime();
    this.kernels = new Proxy(inner, {
      get: (target, key) => {
        const mine: unknown = Reflect.get(own, key);
        if (mine !== undefined) return mine;
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== "function") return value;
        return (...args: readonly unknown[]): unknown =>
          this.#metered(String(key), args, () => Reflect.apply(value, target, args));
      },
    });
  }

  bytes(): number {
    return this.#alive;
  }

  /** Max bytes since `startPeak`. */
  peak(): number {
    return this.#peak;
  }

  startPeak(): void {
    this.#peak = this.#alive;
  }

  #lifetime(): Partial<Kernels> {
    const inner = this.#inner;
    return {
      scope: (body) => this.#scope(body),
      keep: (tensor) => {
        for (const scope of this.#scopes) scope.delete(tensor);
        return inner.keep(tensor);
      },
      free: (...tensors) => {
        for (const tensor of tensors) this.#forget(tensor);
        inner.free(...tensors);
      },
      createCache: (size) => {
        const cache = inner.createCache(size);
        this.#count(cache, 2 * size.pages * size.pageSize * size.kvHeads * size.headDim * this.#width.working);
        this.#expectRoom("createCache", () => {
          this.#forget(cache);
          inner.freeCache(cache);
        });
        return cache;
      },
      freeCache: (cache) => {
        this.#forget(cache);
        inner.freeCache(cache);
      },
      dispose: () => {
        this.#blocks.clear();
        this.#alive = 0;
        inner.dispose();
      },
    };
  }

  #scope<Result>(body: () => Result): Result {
    const made = new Set<Tensor>();
    this.#scopes.push(made);
    let kept = new Set<Tensor>();
    try {
      const result = this.#inner.scope(body);
      kept = tensorsIn(result);
      return result;
    } finally {
      this.#scopes.pop();
      for (const tensor of made)
        if (!kept.has(tensor)) this.#forget(tensor);
        else this.#scopes.at(-1)?.add(tensor);
    }
  }

  #metered(operation: string, args: readonly unknown[], run: () => unknown): unknown {
    const places = this.#limitBytes === Infinity ? [] : placesIn(args.at(-1));
    const before = places.map((place) => this.#inner.keep(this.#inner.copy(place)));
    try {
      const result = run();
      if (result instanceof Promise) return result;
      this.#record(operation, args, result);
      this.#peak = Math.max(this.#peak, this.#alive + this.#scratch(operation, args));
      return result;
    } catch (error) {
      // A failed operation must not change tensors in place.
      this.#inner.assign(places, before);
      throw error;
    } finally {
      this.#inner.free(...before);
    }
  }

  #record(operation: string, args: readonly unknown[], result: unknown): void {
    const made = [...tensorsIn(result)].filter((tensor) => !this.#blocks.has(tensor));
    let shared = this.#sharedBlock(operation, args);
    const named = result !== null && typeof result === "object" && !("shape" in result) ? Object.entries(result) : [];
    const isFull = this.#isFullResult(operation, args);
    for (const tensor of made) {
      const name = named.find(([, value]) => value === tensor)?.[0] ?? "";
      const precision = isFull || fullResults.has(name) ? "full" : "working";
      this.#precisions.set(tensor, precision);
      const element = tensor.dtype === "int32" ? 4 : this.#width[precision];
      const bytes = sizeOf(tensor.shape) * element;
      const together = this.#sharing && operation === "swiGluBackward";
      this.#count(tensor, together ? made.length * bytes : bytes, shared);
      if (together) shared = this.#blocks.get(tensor);
      this.#scopes.at(-1)?.add(tensor);
    }
    this.#expectRoom(operation, () => {
      for (const tensor of made) this.#forget(tensor);
      this.#inner.free(...made);
    });
  }

  #sharedBlock(operation: string, args: readonly unknown[]): Block | undefined {
    if (!this.#sharing) return undefined;
    const [first] = args;
    if (operation === "columns" || operation === "reshape") return this.#blocks.get(first as Tensor);
    if (operation !== "joinColumns") return undefined;
    const blocks = (first as readonly Tensor[]).map((part) => this.#blocks.get(part));
    return blocks.every((block) => block === blocks[0]) ? blocks[0] : undefined;
  }

  /** Determined by the last argument or the first tensor. */
  #isFullResult(operation: string, args: readonly unknown[]): boolean {
    if (fullOperations.has(operation)) return true;
    const precision = args.find((arg): arg is Precision => arg === "full" || arg === "working");
    if (precision) return precision === "full";
    return carryingOperations.has(operation) && this.#precisions.get(args[0] as Tensor) === "full";
  }

  #count(thing: Tensor | KeyValueCache, bytes: number, shared?: Block): void {
    const block = shared ?? { bytes, users: 0 };
    block.users += 1;
    this.#blocks.set(thing, block);
    if (shared) return;
    this.#alive += bytes;
    this.#peak = Math.max(this.#peak, this.#alive);
  }

  #forget(thing: Tensor | KeyValueCache): void {
    const block = this.#blocks.get(thing);
    if (block) {
      block.users -= 1;
      if (block.users === 0) this.#alive -= block.bytes;
    }
    this.#blocks.delete(thing);
    for (const scope of this.#scopes) scope.delete(thing as Tensor);
  }

  #expectRoom(operation: string, undo: () => void): void {
    const limitBytes = this.#limitBytes;
    if (this.#alive <= limitBytes) return;
    const wanted = this.#alive;
    undo();
    throw new LaconicError(
      "device_out_of_memory",
      `${operation}: ${wanted} bytes would be alive, the limit is ${limitBytes}`,
      { operation, limitBytes },
    );
  }
}

function placesIn(argument: unknown): Tensor[] {
  if (typeof argument !== "object" || argument === null) return [];
  const { dWeight, dBias } = argument as GradientPlaces;
  return [dWeight, dBias].flatMap((place) => (place?.tensor ? [place.tensor] : []));
}
