import { LaconicError } from "@laconic/core";
import type { GradientPlaces, Kernels, KeyValueCache, Precision, Tensor } from "@laconic/kernels";
import { tensorsIn } from "@laconic/kernels";
import { elementBytes, type ElementBytes } from "./element-bytes.ts";
import type { ScratchBytes } from "./scratch-bytes.ts";

/** A kernel set whose tensors and caches are counted in bytes. What it holds inside an operation is only known where told. */
export interface MeteredKernels {
  readonly kernels: Kernels;
  /** Alive now. */
  bytes(): number;
  /** Most that were alive at once since `startPeak`. */
  peak(): number;
  startPeak(): void;
}

/** Results that the contract holds in full precision, by name. */
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

/** Memory that several tensors may lie in: it goes with the last of them. */
interface Block {
  readonly bytes: number;
  users: number;
}

/**
 * Counts the memory of any kernel set, and runs out of it where told.
 *
 * @param options.limitBytes - an operation that leaves more alive fails with `device_out_of_memory` and leaves nothing
 * @param options.bytes - to count a float64 set as if it were another
 * @param options.scratch - counts in the peak, not in what is alive
 * @param options.sharing - columns, shapes and both gradients of `swiGlu` share memory, as libtorch's do
 */
export function meterKernels(
  inner: Kernels,
  options: {
    readonly limitBytes?: number;
    readonly bytes?: ElementBytes;
    readonly scratch?: ScratchBytes;
    readonly sharing?: boolean;
  } = {},
): MeteredKernels {
  const {
    limitBytes = Infinity,
    bytes: width = elementBytes[inner.dtype],
    scratch = () => 0,
    sharing = false,
  } = options;
  const blocks = new Map<Tensor | KeyValueCache, Block>();
  const precisions = new WeakMap<Tensor, Precision>();
  /** Tensors by the scope that frees them, innermost last. */
  const scopes: Set<Tensor>[] = [];
  let alive = 0;
  let peak = 0;

  const count = (thing: Tensor | KeyValueCache, bytes: number, shared?: Block): void => {
    const block = shared ?? { bytes, users: 0 };
    block.users += 1;
    blocks.set(thing, block);
    if (shared) return;
    alive += bytes;
    peak = Math.max(peak, alive);
  };
  const forget = (thing: Tensor | KeyValueCache): void => {
    const block = blocks.get(thing);
    if (block) {
      block.users -= 1;
      if (block.users === 0) alive -= block.bytes;
    }
    blocks.delete(thing);
    for (const scope of scopes) scope.delete(thing as Tensor);
  };
  const expectRoom = (operation: string, undo: () => void): void => {
    if (alive <= limitBytes) return;
    const wanted = alive;
    undo();
    throw new LaconicError(
      "device_out_of_memory",
      `${operation}: ${wanted} bytes would be alive, the limit is ${limitBytes}`,
      { operation, limitBytes },
    );
  };
  /** Where a result lies if not in memory of its own. */
  const sharedBlock = (operation: string, args: readonly unknown[]): Block | undefined => {
    if (!sharing) return undefined;
    const [first] = args;
    if (operation === "columns" || operation === "reshape") return blocks.get(first as Tensor);
    if (operation !== "joinColumns") return undefined;
    const of = (first as readonly Tensor[]).map((part) => blocks.get(part));
    return of.every((block) => block === of[0]) ? of[0] : undefined;
  };
  const record = (
    operation: string,
    args: readonly unknown[],
    result: unknown,
    full: (name: string) => boolean,
  ): void => {
    const made = [...tensorsIn(result)].filter((tensor) => !blocks.has(tensor));
    let shared = sharedBlock(operation, args);
    const named = result !== null && typeof result === "object" && !("shape" in result) ? Object.entries(result) : [];
    for (const tensor of made) {
      const name = named.find(([, value]) => value === tensor)?.[0] ?? "";
      const precision = full(name) ? "full" : "working";
      precisions.set(tensor, precision);
      const elements = tensor.shape.reduce((product, length) => product * length, 1);
      const lasts = operation === "together" && precision === "working" && tensor.shape.length >= 2;
      const bytes = elements * (tensor.dtype === "int32" ? 4 : lasts ? width.held : width[precision]);
      const together = sharing && operation === "swiGluBackward";
      count(tensor, together ? made.length * bytes : bytes, shared);
      if (together) shared = blocks.get(tensor);
      scopes.at(-1)?.add(tensor);
    }
    expectRoom(operation, () => {
      for (const tensor of made) forget(tensor);
      inner.free(...made);
    });
  };
  const isFull = (tensor: unknown): boolean => precisions.get(tensor as Tensor) === "full";

  const own: Partial<Kernels> = {
    scope(body) {
      const made = new Set<Tensor>();
      scopes.push(made);
      let kept = new Set<Tensor>();
      try {
        const result = inner.scope(body);
        kept = tensorsIn(result);
        return result;
      } finally {
        scopes.pop();
        for (const tensor of made)
          if (!kept.has(tensor)) forget(tensor);
          else scopes.at(-1)?.add(tensor);
      }
    },
    keep(tensor) {
      for (const scope of scopes) scope.delete(tensor);
      return inner.keep(tensor);
    },
    free(...tensors) {
      for (const tensor of tensors) forget(tensor);
      inner.free(...tensors);
    },
    createCache(size) {
      const cache = inner.createCache(size);
      count(cache, 2 * size.pages * size.pageSize * size.kvHeads * size.headDim * width.held);
      expectRoom("createCache", () => {
        forget(cache);
        inner.freeCache(cache);
      });
      return cache;
    },
    freeCache(cache) {
      forget(cache);
      inner.freeCache(cache);
    },
    dispose() {
      blocks.clear();
      alive = 0;
      inner.dispose();
    },
  };
  /** Where an operation's last argument, or its first tensor, decides the precision of the result. */
  const fullResultOf = (operation: string, args: readonly unknown[]): boolean => {
    if (fullOperations.has(operation)) return true;
    const precision = args.find((arg): arg is Precision => arg === "full" || arg === "working");
    if (precision) return precision === "full";
    const carries = ["copy", "reshape", "add", "multiply", "scaled", "gatherRows", "pickRows"].includes(operation);
    return carries && isFull(args[0]);
  };

  const kernels = new Proxy(inner, {
    get(target, key) {
      const mine: unknown = Reflect.get(own, key);
      if (mine !== undefined) return mine;
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]): unknown => {
        const places = limitBytes === Infinity ? [] : placesIn(args.at(-1));
        const before = places.map((place) => inner.keep(inner.copy(place)));
        try {
          const result: unknown = Reflect.apply(value, target, args);
          if (result instanceof Promise) return result;
          record(String(key), args, result, (name) => fullResults.has(name) || fullResultOf(String(key), args));
          peak = Math.max(peak, alive + scratch(String(key), args));
          return result;
        } catch (error) {
          // What does not fit is not done at all, in place neither.
          inner.assign(places, before);
          throw error;
        } finally {
          inner.free(...before);
        }
      };
    },
  });
  return {
    kernels,
    bytes: () => alive,
    peak: () => peak,
    startPeak: () => (peak = alive),
  };
}

/** The tensors of {@link GradientPlaces}, if an argument is that. */
function placesIn(argument: unknown): Tensor[] {
  if (typeof argument !== "object" || argument === null) return [];
  const { dWeight, dBias } = argument as GradientPlaces;
  return [dWeight, dBias].flatMap((place) => (place?.tensor ? [place.tensor] : []));
}
