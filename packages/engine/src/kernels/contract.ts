import { LaconicError } from "@laconic/core";
import type {
  AdamWStep,
  AdamWTensors,
  GradientPlace,
  GradientPlaces,
  AttentionShape,
  CachePlan,
  GateCurve,
  KeyValueCache,
  RotaryTables,
  SamplingOnDevice,
  SamplingRows,
  SequenceLayout,
  Precision,
  Tensor,
} from "./arguments.ts";

export type * from "./arguments.ts";

/**
 * Cost of a shared segment, in rows at hidden size H. A call is constant, joining costs O(H) per later row, a row
 * O(H^2).
 */
export interface BranchCost {
  /** (callWidth / H)^2 rows per call. */
  readonly callWidth: number;
  /** readerWidth / H rows. */
  readonly readerWidth: number;
}

/** Bytes. */
export interface DeviceMemory {
  readonly free: number;
  readonly total: number;
  /** True for the memory of the machine instead of a GPU. */
  readonly isHost?: boolean;
}

/** Library calls since creation; differences count a step on any machine. */
export interface KernelCounters {
  /** Without views. */
  readonly operations: number;
  readonly nativeCalls: number;
  /** Through the library's dispatcher. */
  readonly dispatcherCalls: number;
  readonly hostCopies: number;
  /** Copies that blocked the host. */
  readonly blockingCopies: number;
  readonly bytesToDevice: number;
  readonly bytesToHost: number;
}

/**
 * Device operations of the transformer, each with an explicit backward.
 * - Matrices are row-major. N packed tokens, M selected rows, B decode rows, S sequences, V vocabulary.
 * - Operations are enqueued; only `read` waits.
 * - In-place operations: `accumulate`, `assign`, `linearOnto`, `placeRows`, `writeRows`, `advance`, `adamW`,
 * `attentionCached`, `copyCachePages`.
 * - Gradients are returned and added by the caller; parameter gradients have full precision. A backward operation may
 * write a parameter's gradient to `into` instead, and then returns none.
 * - A tensor lives until its scope ends or until `free`; without a scope or after `keep`, until `free`.
 * @throws LaconicError `engine_failed` on a device error or a freed handle, `input_invalid` for shapes that do not fit.
 */
export interface Kernels {
  /** `wasm`, `cuda`, ... */
  readonly device: string;
  readonly backend: string;
  /** True for software adapters, such as SwiftShader. */
  readonly emulated?: boolean;
  readonly dtype: "float32" | "bfloat16" | "float64";
  /** Equal calls give equal bits. */
  readonly deterministic: boolean;
  /** Default: sharing always saves time. */
  readonly branchCost?: BranchCost;
  /** A row's bits are independent of the batch. */
  readonly batchInvariant: boolean;
  /** Preferred positions per page. Null if only one page per sequence is fast. */
  readonly cachePageSize: number | null;

  /** True if the next step can be enqueued before the last is read. Default false. */
  readonly runsAhead?: boolean;

  /** Frees tensors made in the body, except returned ones. */
  scope<T>(body: () => T): T;
  /** Removes a tensor from its scopes. */
  keep<T extends Tensor>(tensor: T): T;
  free(...tensors: readonly Tensor[]): void;
  /** Includes caches; for leak tests. */
  liveTensors(): number;
  /** Null if unknown. */
  memory(): DeviceMemory | null;
  counters?(): KernelCounters;
  /** Calls by operator that the CPU computes instead. Absent if impossible. */
  fallbacks?(): Readonly<Record<string, number>>;
  dispose(): void;

  upload(data: Float32Array | Float64Array | Int32Array, shape: readonly number[], precision?: Precision): Tensor;
  /** Waits for the device. */
  read(tensor: Tensor): Promise<Float32Array | Float64Array | Int32Array>;
  zeros(shape: readonly number[], precision?: Precision): Tensor;
  /** Default: the tensor's precision. */
  copy(tensor: Tensor, precision?: Precision): Tensor;
  /** Returns a separate handle. */
  reshape(tensor: Tensor, shape: readonly number[]): Tensor;
  /** Zeros for joint use, allocated at once if possible, but freed separately. */
  together(shapes: readonly (readonly number[])[], precision?: Precision): Tensor[];
  /** Copies `from[i]` into `into[i]`, in the precision of `into[i]`. */
  assign(into: readonly Tensor[], from: readonly Tensor[]): void;
  /** x [N, W] -> [N, count]. May share memory with x. */
  columns(x: Tensor, start: number, count: number): Tensor;
  /** [N, W1], [N, W2], ... -> [N, W1 + W2 + ...]. May share memory. */
  joinColumns(parts: readonly Tensor[]): Tensor;

  add(a: Tensor, b: Tensor): Tensor;
  multiply(a: Tensor, b: Tensor): Tensor;
  scaled(x: Tensor, factor: number): Tensor;
  /** into += delta, in the precision of `into`. */
  accumulate(into: Tensor, delta: Tensor): void;

  /** table [R, D], rows int32 [M] -> [M, D]. */
  gatherRows(table: Tensor, rows: Tensor): Tensor;
  /** Backward of `gatherRows`: delta [M, D], rows int32 [M] -> [rowCount, D], summed. */
  scatterAddRows(delta: Tensor, rows: Tensor, rowCount: number, precision?: Precision): Tensor;
  /** `scatterAddRows` into a gradient [rowCount, D], in full precision. */
  placeRows(into: GradientPlace, delta: Tensor, rows: Tensor): void;
  /** Rows of [R, D] or elements of [R], of any type; rows int32 [M] -> [M, D] or [M]. */
  pickRows(x: Tensor, rows: Tensor): Tensor;
  /** Writes values [M, D] or [M] to unique rows `rows` int32 [M] of `into` [R, D] or [R]. */
  writeRows(into: Tensor, rows: Tensor, values: Tensor): void;
  /** x += by, for an int32 tensor. */
  advance(x: Tensor, by: number): void;

  /**
   * x [N, I], weight [O, I], bias [O] -> x weight^T + bias, [N, O].
   * @param steady - repeated use with few rows: a set may cache another layout while a key-value cache exists
   */
  linear(x: Tensor, weight: Tensor, bias?: Tensor, steady?: boolean): Tensor;
  /** into [N, O] += x weight^T + bias. */
  linearOnto(into: Tensor, x: Tensor, weight: Tensor, bias?: Tensor, steady?: boolean): void;
  linearBackward(
    dOut: Tensor,
    x: Tensor,
    weight: Tensor,
    needs: { readonly input: boolean; readonly weight: boolean; readonly bias: boolean },
    into?: GradientPlaces,
  ): { readonly dX?: Tensor; readonly dWeight?: Tensor; readonly dBias?: Tensor };

  /** x [N, D], weight [D] -> out = x / sqrt(mean(x^2) + epsilon) * weight; invRms [N]. */
  rmsNorm(x: Tensor, weight: Tensor, epsilon: number): { readonly out: Tensor; readonly invRms: Tensor };
  rmsNormBackward(
    dOut: Tensor,
    x: Tensor,
    weight: Tensor,
    invRms: Tensor,
  ): { readonly dX: Tensor; readonly dWeight: Tensor };

  /** x [N, heads * headDim], positions int32 [N]. `inverse` is the backward pass. */
  rotary(x: Tensor, tables: RotaryTables, positions: Tensor, heads: number, inverse?: boolean): Tensor;

  /**
   * Causal attention to ancestors and the segment itself. q [N, queryHeads * headDim], k, v [N, kvHeads * headDim];
   * logSumExp [N, queryHeads] of the scaled scores.
   */
  attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    shape: AttentionShape,
    layout: SequenceLayout,
  ): { readonly out: Tensor; readonly logSumExp: Tensor };
  /** Sums over readers in an order that depends only on the layout. */
  attentionBackward(
    dOut: Tensor,
    forward: {
      readonly q: Tensor;
      readonly k: Tensor;
      readonly v: Tensor;
      readonly out: Tensor;
      readonly logSumExp: Tensor;
    },
    shape: AttentionShape,
    layout: SequenceLayout,
  ): { readonly dQ: Tensor; readonly dK: Tensor; readonly dV: Tensor };

  createCache(size: KeyValueCache): KeyValueCache;
  freeCache(cache: KeyValueCache): void;
  /** Writes keys and values, then attends to the whole sequence. */
  attentionCached(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cache: KeyValueCache,
    shape: AttentionShape,
    plan: CachePlan,
  ): Tensor;
  /** Copies the first `lengths[i]` positions of page `from[i]` to page `to[i]`, in order. `source` is another cache. */
  copyCachePages(
    cache: KeyValueCache,
    from: Int32Array,
    to: Int32Array,
    lengths: Int32Array,
    source?: KeyValueCache,
  ): void;

  /** gate sigmoid(slope gate + cubic gate^3) up, all [N, F]. Default: silu(gate) up. */
  swiGlu(gate: Tensor, up: Tensor, curve?: GateCurve): Tensor;
  swiGluBackward(
    dOut: Tensor,
    gate: Tensor,
    up: Tensor,
    curve?: GateCurve,
  ): { readonly dGate: Tensor; readonly dUp: Tensor };

  /** hidden [M, D], weight [V, D] -> hidden weight^T in full precision, [M, V]. */
  headLogits(hidden: Tensor, weight: Tensor, steady?: boolean): Tensor;
  /**
   * Log-softmax of hidden weight^T * inverseTemperature at the target, without stored logits. hidden [M, D], weight
   * [V, D], targets int32 [M], inverseTemperature [M] -> each [M]; entropy in nats.
   */
  headLogProbs(
    hidden: Tensor,
    weight: Tensor,
    targets: Tensor,
    inverseTemperature: Tensor,
  ): { readonly logProbs: Tensor; readonly entropy: Tensor; readonly logSumExp: Tensor };
  headLogProbsBackward(
    dLogProbs: Tensor,
    forward: {
      readonly hidden: Tensor;
      readonly weight: Tensor;
      readonly targets: Tensor;
      readonly inverseTemperature: Tensor;
      readonly logSumExp: Tensor;
    },
    needs: { readonly weight: boolean },
    into?: Pick<GradientPlaces, "dWeight">,
  ): { readonly dHidden: Tensor; readonly dWeight?: Tensor };

  /**
   * Inverts the cumulative distribution of logits [B, V] in token order. tokens int32 [B]; logProbs [B] at the row's
   * temperature (1 for greedy), before truncation.
   */
  sampleTokens(
    logits: Tensor,
    rows: SamplingRows | SamplingOnDevice,
  ): { readonly tokens: Tensor; readonly logProbs: Tensor };
  /**
   * Log-softmax of logits [B, V] at temperature 1, for `tokens` int32 [B] and the `count` likeliest (descending).
   * logProbs [B]; topTokens int32 [B, count], topLogProbs [B, count]. `count` from 0 to V.
   */
  tokenLogProbs(
    logits: Tensor,
    tokens: Tensor,
    count: number,
  ): { readonly logProbs: Tensor; readonly topTokens: Tensor; readonly topLogProbs: Tensor };

  /** Sum over all tensors, [1]. */
  sumSquares(tensors: readonly Tensor[]): Tensor;
  /** Updates in place; gradients are undefined afterwards. */
  adamW(tensors: readonly AdamWTensors[], step: AdamWStep): void;
}

interface KernelFamilies {
  attention: "attention" | "attentionBackward";
  cache: "createCache" | "freeCache" | "attentionCached" | "copyCachePages";
  elementwise: "add" | "multiply" | "scaled" | "accumulate" | "swiGlu" | "swiGluBackward";
  head: "headLogProbs" | "headLogProbsBackward";
  lifetime: "scope" | "keep" | "free" | "upload" | "read" | "zeros" | "copy" | "reshape";
  linear: "linear" | "linearOnto" | "linearBackward" | "headLogits";
  norm: "rmsNorm" | "rmsNormBackward";
  optimizer: "sumSquares" | "adamW";
  pieces: "together" | "assign" | "columns" | "joinColumns";
  rows: "gatherRows" | "scatterAddRows" | "placeRows";
  rowWrites: "pickRows" | "writeRows" | "advance";
  sampling: "sampleTokens" | "tokenLogProbs";
}

/** Operations that a kernel set defines together. */
export type KernelFamily<Name extends keyof KernelFamilies> = Pick<Kernels, KernelFamilies[Name]>;

/** Kernel set for the engine's workers; structured-cloneable. */
export interface KernelSource {
  readonly device: string;
  /** URL of an ES module that exports `createKernels: CreateKernels`. */
  readonly module: string;
  readonly options?: Readonly<Record<string, string | number | boolean>>;
}

/** How kernel sets share the machine. */
export interface KernelPlace {
  /** Kernel sets that compute at once on this machine. */
  readonly sharing: number;
}

/** @throws LaconicError `device_unavailable` */
export type CreateKernels = (options: KernelSource["options"], location?: KernelPlace) => Promise<Kernels>;

/** True if AdamW needs `AdamWMoments.master`. */
export function roundsWeights(dtype: Kernels["dtype"]): boolean {
  return dtype === "bfloat16";
}

/** True if the device has no memory left. */
export function isOutOfMemory(error: unknown): error is LaconicError {
  return LaconicError.is(error) && error.code === "device_out_of_memory";
}
