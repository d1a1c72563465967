import { LaconicError } from "@laconic/core";
import { sizeOf, TensorScopes } from "../kernels/index.ts";
import type { Kernels, KeyValueCache, Precision, Tensor } from "../kernels/index.ts";
import { elementBytes, type ScratchBytes } from "./scratch-bytes.ts";

/** Freed with its last tensor. */
interface Block {
  readonly bytes: number;
  users: number;
}

interface MeasuredTensor extends Tensor {
  readonly precision: Precision;
  readonly block: Block;
}

type Shape = readonly number[];

/** Kernel set without data, which counts bytes. */
export class MeasuredKernels {
  readonly kernels: Kernels;
  readonly #tensors: TensorScopes<MeasuredTensor> = new TensorScopes(({ block }) => this.#leave(block));
  /** Parts of wider rows: another shape is a copy. */
  readonly #parts = new WeakSet<Tensor>();
  readonly #caches = new Map<KeyValueCache, Block>();
  readonly #elementBytes: (typeof elementBytes)[Kernels["dtype"]];
  readonly #sharing: boolean;
  #alive = 0;
  #peak = 0;

  constructor(
    dtype: Kernels["dtype"],
    { scratch, sharing = false }: { readonly scratch?: ScratchBytes; readonly sharing?: boolean } = {},
  ) {
    this.#elementBytes = elementBytes[dtype];
    this.#sharing = sharing;
    const set = this.#operations(dtype);
    this.kernels = scratch ? this.#withScratch(set, scratch) : set;
  }

  bytes(): number {
    return this.#alive;
  }

  peak(): number {
    return this.#peak;
  }

  startPeak(): void {
    this.#peak = this.#alive;
  }

  #withScratch(set: Kernels, scratch: ScratchBytes): Kernels {
    const measured = Object.entries(set).map(([name, run]: [string, unknown]) => {
      if (typeof run !== "function") return [name, run];
      const both = (...args: readonly unknown[]): unknown => {
        const result: unknown = Reflect.apply(run, set, args);
        this.#reach(this.#alive + scratch(name, args));
        return result;
      };
      return [name, both];
    });
    return Object.fromEntries(measured) as Kernels;
  }

  #operations(dtype: Kernels["dtype"]): Kernels {
    return {
      device: "shapes",
      backend: "none",
      dtype,
      deterministic: true,
      batchInvariant: true,
      cachePageSize: null,
      memory: () => null,
      ...this.#tensors.kernels(),
      liveTensors: () => this.#tensors.count,
      dispose: () => this.#tensors.dispose(),
      read: () => Promise.reject(new LaconicError("engine_failed", "measured kernels have no values")),
      createCache: (size) => {
        const cache = { ...size };
        const numbers = 2 * size.pages * size.pageSize * size.kvHeads * size.headDim;
        this.#caches.set(cache, this.#block(numbers * this.#elementBytes.working));
        return cache;
      },
      freeCache: (cache) => {
        this.#leave(this.#caches.get(cache)!);
        this.#caches.delete(cache);
      },
      ...this.#layouts(),
      ...this.#computations(),
      assign: () => undefined,
      accumulate: () => undefined,
      writeRows: () => undefined,
      advance: () => undefined,
      placeRows: () => undefined,
      linearOnto: () => undefined,
      copyCachePages: () => undefined,
      adamW: () => undefined,
    };
  }

  #layouts() {
    const precisionOf = (tensor: Tensor): Precision => this.#tensors.get(tensor).precision;
    const blockOf = (tensor: Tensor): Block | undefined =>
      this.#sharing ? this.#tensors.get(tensor).block : undefined;
    const like = (x: Tensor): Tensor => this.#make(x.shape, precisionOf(x), x.dtype);
    return {
      upload: (data, shape, precision) => this.#make(shape, precision, data instanceof Int32Array ? "int32" : "float"),
      zeros: (shape, precision) => this.#make(shape, precision),
      copy: (x, precision = precisionOf(x)) => this.#make(x.shape, precision, x.dtype),
      reshape: (x, shape) => this.#make(shape, precisionOf(x), x.dtype, this.#parts.has(x) ? undefined : blockOf(x)),
      together: (shapes, precision) => shapes.map((shape) => this.#make(shape, precision)),
      columns: (x, _, count) => {
        const part = this.#make([rows(x), count], "working", "float", blockOf(x));
        if (count < columns(x)) this.#parts.add(part);
        return part;
      },
      joinColumns: (parts) => {
        const [first, ...others] = parts.map(blockOf);
        const shared = others.every((block) => block === first) ? first : undefined;
        const width = parts.reduce((sum, part) => sum + columns(part), 0);
        const joined = this.#make([rows(parts[0]!), width], "working", "float", shared);
        if (shared && parts.some((part) => this.#parts.has(part))) this.#parts.add(joined);
        return joined;
      },
      add: like,
      multiply: like,
      scaled: like,
      gatherRows: (table, index) => this.#make([rows(index), columns(table)], precisionOf(table)),
      pickRows: (x, index) => this.#make([rows(index), ...x.shape.slice(1)], precisionOf(x), x.dtype),
      scatterAddRows: (delta, _, count, precision) => this.#make([count, columns(delta)], precision),
    } satisfies Partial<Kernels>;
  }

  #computations() {
    const working = ({ shape }: Tensor): Tensor => this.#make(shape);
    const full = (...shape: Shape): Tensor => this.#make(shape, "full");
    const ints = (...shape: Shape): Tensor => this.#make(shape, "working", "int32");
    return {
      linear: (x, weight) => this.#make([rows(x), rows(weight)]),
      linearBackward: (dOut, x, weight, needs, into) => ({
        ...(needs.input && { dX: working(x) }),
        ...(needs.weight && !into?.dWeight && { dWeight: full(...weight.shape) }),
        ...(needs.bias && !into?.dBias && { dBias: full(columns(dOut)) }),
      }),
      rmsNorm: (x) => ({ out: working(x), invRms: full(rows(x)) }),
      rmsNormBackward: (_, x, weight) => ({ dX: working(x), dWeight: full(...weight.shape) }),
      rotary: working,
      swiGlu: working,
      swiGluBackward: (_, { shape }) => {
        if (!this.#sharing) return { dGate: this.#make(shape), dUp: this.#make(shape) };
        const both = this.#block(2 * sizeOf(shape) * this.#elementBytes.working, 0);
        return { dGate: this.#make(shape, "working", "float", both), dUp: this.#make(shape, "working", "float", both) };
      },
      attention: (q, _k, _v, { queryHeads }) => ({ out: working(q), logSumExp: full(rows(q), queryHeads) }),
      attentionBackward: (_, { q, k, v }) => ({ dQ: working(q), dK: working(k), dV: working(v) }),
      attentionCached: working,
      headLogits: (hidden, weight) => full(rows(hidden), rows(weight)),
      headLogProbs: (hidden) => {
        const vector = (): Tensor => full(rows(hidden));
        return { logProbs: vector(), entropy: vector(), logSumExp: vector() };
      },
      headLogProbsBackward: (_, { hidden, weight }, needs, into) => ({
        dHidden: working(hidden),
        ...(needs.weight && !into?.dWeight && { dWeight: full(...weight.shape) }),
      }),
      sampleTokens: (logits) => ({ tokens: ints(rows(logits)), logProbs: full(rows(logits)) }),
      tokenLogProbs: (logits, _, count) => ({
        logProbs: full(rows(logits)),
        topTokens: ints(rows(logits), count),
        topLogProbs: full(rows(logits), count),
      }),
      sumSquares: () => full(1),
    } satisfies Partial<Kernels>;
  }

  #make(shape: Shape, precision: Precision = "working", dtype: Tensor["dtype"] = "float", shared?: Block): Tensor {
    const block = shared ?? this.#block(sizeOf(shape) * (dtype === "int32" ? 4 : this.#elementBytes[precision]), 0);
    block.users += 1;
    return this.#tensors.adopt({ shape: [...shape], dtype, precision, block });
  }

  #block(bytes: number, users = 1): Block {
    this.#alive += bytes;
    this.#reach(this.#alive);
    return { bytes, users };
  }

  #leave(block: Block): void {
    block.users -= 1;
    if (block.users === 0) this.#alive -= block.bytes;
  }

  #reach(bytes: number): void {
    this.#peak = Math.max(this.#peak, bytes);
  }
}

function rows(tensor: Tensor): number {
  return tensor.shape[0]!;
}

function columns(tensor: Tensor): number {
  return tensor.shape[1]!;
}
