import type {
  AdamWStep,
  AdamWTensors,
  GradientPlace,
  GradientPlaces,
  AttentionShape,
  CachePlan,
  KeyValueCache,
  RotaryTables,
  SamplingOnDevice,
  SamplingRows,
  SequenceLayout,
  Precision,
  Tensor,
} from "./arguments.ts";

export type * from "./arguments.ts";
export type * from "./arguments.ts";
export type * from "./arguments.ts";

/**
 * Cost of attention to a segment that others continue, in rows of a model of hidden size H. Calls cost the same at every
 * size, joining results costs O(H) for each row behind the segment, and a row costs O(H^2).
 */
export interface BranchCost {
  /** Hidden size at which the calls cost as much as one row: they cost (callWidth / H)^2 rows. */
  readonly callWidth: number;
  /** Hidden size at which joining costs as much as the row: it costs readerWidth / H rows. */
  readonly readerWidth: number;
}

/** Bytes on the device. */
export interface DeviceMemory {
  readonly free: number;
  readonly total: number;
}

/**
 * What a kernel set has asked of its library since it was made. Only differences mean something: what a step costs can be
 * counted on any machine, where its time cannot be measured.
 */
export interface KernelCounters {
  /** Operations that compute or copy on the device, each of at least one launch; views are none. */
  readonly operations: number;
  /** Calls of C functions, whatever they do. */
  readonly nativeCalls: number;
  /** Of these, calls through the library's operator dispatcher, which resolve the operator and own their arguments. */
  readonly dispatcherCalls: number;
  /** Copies between host and device. */
  readonly hostCopies: number;
  /** Of these, copies that the host waited for before it could go on. */
  readonly blockingCopies: number;
  readonly bytesToDevice: number;
  readonly bytesToHost: number;
}

/**
 * The device operations of the transformer, each with its explicit backward.
 *
 * - Matrices are row-major. N packed tokens, M selected rows, B decode rows, S sequences, V vocabulary.
 * - Operations enqueue and return at once; only `read` waits for the device.
 * - Nothing is changed in place but by `accumulate`, `assign`, `linearOnto`, `placeRows`, `writeRows`, `advance`, `adamW`, `attentionCached` and `copyCachePages`.
 * - Gradients are returned; the caller adds them up. Those of parameters are in full precision. A backward operation that is
 *   given `into` may write a parameter's gradient there instead, and then returns none: a set without such a kernel ignores it.
 * - A tensor lives until its scope ends or until `free`, whichever comes first; made outside any scope or moved out by `keep`,
 *   until `free`.
 * @throws LaconicError `engine_failed` on a device error or a freed handle, `input_invalid` on shapes that do not fit.
 */
export interface Kernels {
  /** `wasm`, `cuda`, ... */
  readonly device: string;
  /** Library and version. */
  readonly backend: string;
  /** A GPU that is a program on the processor, such as SwiftShader or llvmpipe. Absent: it is none. */
  readonly emulated?: boolean;
  /** How numbers are held. */
  readonly dtype: "float32" | "bfloat16" | "float64";
  /** The same calls give the same bits. */
  readonly deterministic: boolean;
  /** Absent: sharing a prefix always saves time. */
  readonly branchCost?: BranchCost;
  /** A row comes out the same bits whatever other rows are in the call: a reply does not depend on its neighbours at all. */
  readonly batchInvariant: boolean;
  /**
   * Positions of a page that the set reads well through a block table. Null where it reads a sequence well only as one
   * page: it takes other tables too, but copies what they name first.
   */
  readonly cachePageSize: number | null;

  /**
   * Operations run while the host goes on, and a `read` waits for those before it alone: worth enqueuing the next step before
   * the last one is read. Absent: no.
   */
  readonly runsAhead?: boolean;

  /** Frees every tensor made inside, but for those in the returned value (a tensor, or arrays and plain objects of tensors). */
  scope<T>(body: () => T): T;
  /** Takes a tensor out of its scopes; it lives until `free`. */
  keep<T extends Tensor>(tensor: T): T;
  free(...tensors: readonly Tensor[]): void;
  /** Tensors and caches alive now, for leak tests. */
  liveTensors(): number;
  /** Null where the device does not say. */
  memory(): DeviceMemory | null;
  /** Absent where the set does not count. */
  counters?(): KernelCounters;
  /** Operators that the device's library lacks and the processor computes, by name, each with its calls so far. Absent where there are none by design. */
  fallbacks?(): Readonly<Record<string, number>>;
  dispose(): void;

  upload(data: Float32Array | Float64Array | Int32Array, shape: readonly number[], precision?: Precision): Tensor;
  /** Waits for the device. float comes as Float32Array or Float64Array. */
  read(tensor: Tensor): Promise<Float32Array | Float64Array | Int32Array>;
  zeros(shape: readonly number[], precision?: Precision): Tensor;
  /** In the tensor's own precision by default. */
  copy(tensor: Tensor, precision?: Precision): Tensor;
  /** The same values under another shape; owns its own handle. */
  reshape(tensor: Tensor, shape: readonly number[]): Tensor;
  /**
   * Zeros that are used together, such as all weights of a model: pieces of one allocation where the set can, so that
   * `assign`, `sumSquares` and `adamW` on the whole list are a few calls. Each piece is freed by itself.
   */
  together(shapes: readonly (readonly number[])[], precision?: Precision): Tensor[];
  /** Copies the values of `from[i]` into `into[i]`, of the same shape, in the precision of `into[i]`. */
  assign(into: readonly Tensor[], from: readonly Tensor[]): void;
  /** `count` columns of a matrix x [N, W] from `start` on, [N, count]. May share memory with x: a change of one in place may show in the other. */
  columns(x: Tensor, start: number, count: number): Tensor;
  /** Matrices [N, W1], [N, W2], ... side by side, [N, W1 + W2 + ...]. May share their memory, as `columns` does. */
  joinColumns(parts: readonly Tensor[]): Tensor;

  add(a: Tensor, b: Tensor): Tensor;
  /** a * b, elementwise. */
  multiply(a: Tensor, b: Tensor): Tensor;
  /** x * factor. */
  scaled(x: Tensor, factor: number): Tensor;
  /** into += delta, in the precision of `into`. */
  accumulate(into: Tensor, delta: Tensor): void;

  /** table [R, D], rows int32 [M] -> [M, D]. Embedding lookup, and selection of the rows that need a head. */
  gatherRows(table: Tensor, rows: Tensor): Tensor;
  /** delta [M, D], rows int32 [M] -> [rowCount, D]; repeated rows add up. Backward of `gatherRows`; `working` by default. */
  scatterAddRows(delta: Tensor, rows: Tensor, rowCount: number, precision?: Precision): Tensor;
  /** The same for the gradient of a table [rowCount, D], in full precision and in its place. */
  placeRows(into: GradientPlace, delta: Tensor, rows: Tensor): void;
  /** Rows of a matrix [R, D] or elements of a vector [R], of any type, by number; rows int32 [M] -> [M, D] or [M]. */
  pickRows(x: Tensor, rows: Tensor): Tensor;
  /** Puts values [M, D] or [M] into the rows of `into` [R, D] or [R] that `rows` int32 [M] names, each at most once. */
  writeRows(into: Tensor, rows: Tensor, values: Tensor): void;
  /** x += by, for an int32 tensor: positions go on without a new upload. */
  advance(x: Tensor, by: number): void;

  /**
   * x [N, I], weight [O, I], bias [O] -> x weight^T + bias, [N, O].
   *
   * @param steady - few rows meet this weight again and again before it changes, as in decoding: a set may then keep it in an order
   *   that suits its products better, as long as there is a key-value cache
   */
  linear(x: Tensor, weight: Tensor, bias?: Tensor, steady?: boolean): Tensor;
  /** into [N, O] += x weight^T + bias; `steady` as in `linear`. */
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

  /** x [N, heads * headDim], positions int32 [N]. `inverse` rotates back: the backward pass. */
  rotary(x: Tensor, tables: RotaryTables, positions: Tensor, heads: number, inverse?: boolean): Tensor;

  /** Causal attention within each sequence: to the rows of a segment's ancestors, and to its own up to itself. q [N, queryHeads * headDim], k and v [N, kvHeads * headDim]; logSumExp [N, queryHeads] of the scaled scores. */
  attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    shape: AttentionShape,
    layout: SequenceLayout,
  ): { readonly out: Tensor; readonly logSumExp: Tensor };
  /** The gradient of a key adds up over all that read it, in an order that the layout alone decides. */
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
  /** Writes the new keys and values to their pages, then attends causally to everything the sequence holds. Prefill and decode alike. */
  attentionCached(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cache: KeyValueCache,
    shape: AttentionShape,
    plan: CachePlan,
  ): Tensor;
  /**
   * Copies the first `lengths[i]` positions of page `from[i]` to page `to[i]`, one after the other: shares a prefilled
   * prompt. `source` is another cache of the same heads to copy from, as when a cache grows.
   */
  copyCachePages(
    cache: KeyValueCache,
    from: Int32Array,
    to: Int32Array,
    lengths: Int32Array,
    source?: KeyValueCache,
  ): void;

  /** silu(gate) * up, all [N, F]. */
  swiGlu(gate: Tensor, up: Tensor): Tensor;
  swiGluBackward(dOut: Tensor, gate: Tensor, up: Tensor): { readonly dGate: Tensor; readonly dUp: Tensor };

  /** hidden [M, D], weight [V, D] -> hidden weight^T in full precision, [M, V]; `steady` as in `linear`. */
  headLogits(hidden: Tensor, weight: Tensor, steady?: boolean): Tensor;
  /**
   * Log-softmax of hidden weight^T * inverseTemperature at the target, without keeping the logits.
   * hidden [M, D], weight [V, D], targets int32 [M], inverseTemperature [M] -> each [M]; entropy in nats.
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
   * Draws one token per row of logits [B, V] by inverting the cumulative distribution in token order.
   * tokens int32 [B]; logProbs [B] at the row's temperature (1 for greedy), before truncation.
   */
  sampleTokens(
    logits: Tensor,
    rows: SamplingRows | SamplingOnDevice,
  ): { readonly tokens: Tensor; readonly logProbs: Tensor };
  /**
   * Log-softmax of logits [B, V] at temperature 1: of one token per row, and of the `count` likeliest in descending
   * order, equal ones in any. tokens int32 [B] -> logProbs [B]; topTokens int32 [B, count] and topLogProbs [B, count]. `count` from 0 to V.
   */
  tokenLogProbs(
    logits: Tensor,
    tokens: Tensor,
    count: number,
  ): { readonly logProbs: Tensor; readonly topTokens: Tensor; readonly topLogProbs: Tensor };

  /** Sum of squares of all elements of all tensors, [1]. */
  sumSquares(tensors: readonly Tensor[]): Tensor;
  /** Updates every parameter, its moments and its master weights in place; what gradients hold afterwards is undefined. */
  adamW(tensors: readonly AdamWTensors[], step: AdamWStep): void;
}
