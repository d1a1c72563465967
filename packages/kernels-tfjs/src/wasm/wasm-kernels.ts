import type {
  AdamWStep,
  AttentionShape,
  CachePlan,
  Kernels,
  KeyValueCache,
  RotaryTables,
  SamplingRows,
  SequenceLayout,
  Tensor,
} from "@laconic/engine/kernels";
import { LaconicError } from "@laconic/core";
import { matMul, reshape, version_core, type Tensor2D, type Tensor as TfTensor } from "@tensorflow/tfjs-core";
import { TensorStore, type Handle } from "./tensor-store.ts";
import type { TfjsMemory } from "./tfjs-memory.ts";

/** Logits of at most this many elements are held at once. */
const maxLogits = 1 << 22;

/** One layer's keys and values, [rows, capacity, kvHeads * headDim] each. */
interface WasmCache extends KeyValueCache {
  readonly keys: Handle;
  readonly values: Handle;
}

/**
 * The kernel set on wasm, one thread. Dense products run in TensorFlow.js (XNNPACK); everything else in fused SIMD
 * functions over the same memory.
 */
export class WasmKernels implements Kernels {
  readonly device = "wasm";
  readonly backend: string = `tfjs-wasm ${version_core}`;
  readonly dtype = "float32";
  readonly #memory: TfjsMemory;
  readonly #store: TensorStore;
  readonly #caches = new Set<WasmCache>();

  constructor(memory: TfjsMemory) {
    this.#memory = memory;
    this.#store = new TensorStore(memory);
  }

  scope<T>(body: () => T): T {
    return this.#store.scope(body);
  }
  keep<T extends Tensor>(tensor: T): T {
    this.#store.keep(tensor);
    return tensor;
  }
  free(...tensors: readonly Tensor[]): void {
    for (const tensor of tensors) this.#store.free(tensor);
  }
  liveTensors(): number {
    return this.#store.count;
  }
  dispose(): void {
    for (const cache of [...this.#caches]) this.freeCache(cache);
    this.#store.dispose();
  }

  upload(data: Float32Array | Float64Array | Int32Array, shape: readonly number[]): Tensor {
    expectSize(data.length, shape);
    const handle = this.#store.allocate(shape, data instanceof Int32Array ? "int32" : "float");
    const source = data instanceof Float64Array ? Float32Array.from(data) : data;
    this.#bytes(handle).set(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
    return handle;
  }
  read(tensor: Tensor): Promise<Float32Array | Int32Array> {
    const copy = this.#bytes(tensor).slice().buffer;
    return Promise.resolve(tensor.dtype === "int32" ? new Int32Array(copy) : new Float32Array(copy));
  }
  zeros(shape: readonly number[]): Tensor {
    return this.#store.allocate(shape, "float", true);
  }
  copy(tensor: Tensor): Tensor {
    const handle = this.#store.allocate(tensor.shape, tensor.dtype);
    this.#bytes(handle).set(this.#bytes(tensor));
    return handle;
  }
  reshape(tensor: Tensor, shape: readonly number[]): Tensor {
    return this.#store.adopt(reshape(this.#store.data(tensor), [...shape]), tensor.dtype);
  }

  add(a: Tensor, b: Tensor): Tensor {
    expectShape(b, a.shape, "add");
    const out = this.#store.allocate(a.shape);
    this.#run("add", a, b, out, out.size);
    return out;
  }
  accumulate(into: Tensor, delta: Tensor): void {
    expectShape(delta, into.shape, "accumulate");
    this.#run("accumulate", into, delta, size(into));
  }

  gatherRows(table: Tensor, rows: Tensor): Tensor {
    const out = this.#store.allocate([rows.shape[0] as number, table.shape[1] as number]);
    this.#run("gatherRows", table, rows, out, rows.shape[0] as number, table.shape[1] as number);
    return out;
  }
  scatterAddRows(delta: Tensor, rows: Tensor, rowCount: number): Tensor {
    const [count, width] = matrix(delta);
    const out = this.#store.allocate([rowCount, width], "float", true);
    this.#run("scatterAddRows", delta, rows, out, count, width);
    return out;
  }

  linear(x: Tensor, weight: Tensor, bias?: Tensor): Tensor {
    const [rows, inner] = matrix(x);
    const [outer, expected] = matrix(weight);
    if (inner !== expected)
      throw new LaconicError("input_invalid", `linear: x has ${inner} columns, the weight takes ${expected}`);
    const right = this.#store.transposed(weight, (data) => this.#transpose(data, outer, inner));
    const out = this.#store.adopt(matMul(this.#data2d(x), right as Tensor2D));
    if (bias) this.#run("addBias", out, bias, rows, outer);
    return out;
  }
  linearBackward(
    dOut: Tensor,
    x: Tensor,
    weight: Tensor,
    needs: { readonly input: boolean; readonly bias: boolean },
  ): { readonly dX?: Tensor; readonly dWeight: Tensor; readonly dBias?: Tensor } {
    const [rows, outer] = matrix(dOut);
    const flipped = this.#transpose(this.#store.data(dOut), rows, outer);
    const dWeight = this.#store.adopt(matMul(flipped as Tensor2D, this.#data2d(x)));
    flipped.dispose();
    const dX = needs.input ? this.#store.adopt(matMul(this.#data2d(dOut), this.#data2d(weight))) : undefined;
    let dBias: Handle | undefined;
    if (needs.bias) {
      dBias = this.#store.allocate([outer], "float", true);
      this.#run("columnSums", dOut, dBias, rows, outer);
    }
    return { dWeight, ...(dX && { dX }), ...(dBias && { dBias }) };
  }

  rmsNorm(x: Tensor, weight: Tensor, epsilon: number): { readonly out: Tensor; readonly invRms: Tensor } {
    const [rows, width] = matrix(x);
    const out = this.#store.allocate(x.shape);
    const invRms = this.#store.allocate([rows]);
    this.#run("rmsNorm", x, weight, out, invRms, rows, width, epsilon);
    return { out, invRms };
  }
  rmsNormBackward(
    dOut: Tensor,
    x: Tensor,
    weight: Tensor,
    invRms: Tensor,
  ): { readonly dX: Tensor; readonly dWeight: Tensor } {
    const [rows, width] = matrix(x);
    const dX = this.#store.allocate(x.shape);
    const dWeight = this.#store.allocate([width], "float", true);
    this.#run("rmsNormBackward", dOut, x, weight, invRms, dX, dWeight, rows, width);
    return { dX, dWeight };
  }

  rotary(x: Tensor, tables: RotaryTables, positions: Tensor, heads: number, inverse = false): Tensor {
    const [rows] = matrix(x);
    const out = this.#store.allocate(x.shape);
    const half = tables.cos.shape[1] as number;
    this.#run("rotary", x, tables.cos, tables.sin, positions, out, rows, heads, half, inverse ? -1 : 1);
    return out;
  }

  attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    shape: AttentionShape,
    layout: SequenceLayout,
  ): { readonly out: Tensor; readonly logSumExp: Tensor } {
    const out = this.#store.allocate(q.shape);
    const logSumExp = this.#store.allocate([q.shape[0] as number, shape.queryHeads]);
    const scratch = this.#store.allocate([(shape.headDim + 1) * ceil4(layout.longest) + 8]);
    this.#run("attention", q, k, v, out, logSumExp, layout.offsetsOnDevice, ...heads(layout, shape), scratch);
    this.#store.free(scratch);
    return { out, logSumExp };
  }
  attentionBackward(
    dOut: Tensor,
    forward: { readonly q: Tensor; readonly k: Tensor; readonly v: Tensor; readonly out: Tensor; readonly logSumExp: Tensor },
    shape: AttentionShape,
    layout: SequenceLayout,
  ): { readonly dQ: Tensor; readonly dK: Tensor; readonly dV: Tensor } {
    const { q, k, v, out, logSumExp } = forward;
    const dQ = this.#store.allocate(q.shape);
    const dK = this.#store.allocate(k.shape, "float", true);
    const dV = this.#store.allocate(v.shape, "float", true);
    const scratch = this.#store.allocate([(2 * shape.headDim + 2) * ceil4(layout.longest) + 8]);
    const sizes = heads(layout, shape);
    this.#run("attentionBackward", dOut, q, k, v, out, logSumExp, dQ, dK, dV, layout.offsetsOnDevice, ...sizes, scratch);
    this.#store.free(scratch);
    return { dQ, dK, dV };
  }

  createCache(size: KeyValueCache): KeyValueCache {
    const shape = [size.rows, size.capacity, size.kvHeads * size.headDim];
    const make = (): Handle => this.keep(this.#store.allocate(shape));
    const cache: WasmCache = { ...size, keys: make(), values: make() };
    this.#caches.add(cache);
    return cache;
  }
  freeCache(cache: KeyValueCache): void {
    const own = this.#cache(cache);
    this.free(own.keys, own.values);
    this.#caches.delete(own);
  }
  attentionCached(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cache: KeyValueCache,
    shape: AttentionShape,
    plan: CachePlan,
  ): Tensor {
    const { keys, values } = this.#cache(cache);
    plan.past.forEach((past, s) => {
      const end = past + (plan.layout.offsets[s + 1] as number) - (plan.layout.offsets[s] as number);
      if (end > cache.capacity)
        throw new LaconicError("input_invalid", `attentionCached: row ${plan.rows[s]} would hold ${end} of ${cache.capacity} positions`);
    });
    const { offsetsOnDevice } = plan.layout;
    const sequences = plan.rows.length;
    const width = shape.kvHeads * shape.headDim;
    for (const [fresh, held] of [
      [k, keys],
      [v, values],
    ] as const)
      this.#run("appendToCache", fresh, held, offsetsOnDevice, plan.rowsOnDevice, plan.pastOnDevice, sequences, cache.capacity, width);
    const out = this.#store.allocate(q.shape);
    const scratch = this.#store.allocate([ceil4(cache.capacity) + 4]);
    this.#run(
      "attentionCached", q, keys, values, out, offsetsOnDevice, plan.rowsOnDevice, plan.pastOnDevice, sequences,
      cache.capacity, shape.queryHeads, shape.kvHeads, shape.headDim, shape.scale, scratch,
    );
    this.#store.free(scratch);
    return out;
  }
  copyCacheRows(cache: KeyValueCache, from: Int32Array, to: Int32Array, lengths: Int32Array): void {
    const { keys, values } = this.#cache(cache);
    const position = cache.kvHeads * cache.headDim * 4;
    for (const held of [keys, values]) {
      const bytes = this.#bytes(held);
      from.forEach((source, i) => {
        const start = source * cache.capacity * position;
        bytes.copyWithin((to[i] as number) * cache.capacity * position, start, start + (lengths[i] as number) * position);
      });
    }
  }

  swiGlu(gate: Tensor, up: Tensor): Tensor {
    const out = this.#store.allocate(gate.shape);
    this.#run("swiGlu", gate, up, out, out.size);
    return out;
  }
  swiGluBackward(dOut: Tensor, gate: Tensor, up: Tensor): { readonly dGate: Tensor; readonly dUp: Tensor } {
    const dGate = this.#store.allocate(gate.shape);
    const dUp = this.#store.allocate(up.shape);
    this.#run("swiGluBackward", dOut, gate, up, dGate, dUp, dUp.size);
    return { dGate, dUp };
  }

  headLogProbs(
    hidden: Tensor,
    weight: Tensor,
    targets: Tensor,
    inverseTemperature: Tensor,
  ): { readonly logProbs: Tensor; readonly entropy: Tensor; readonly logSumExp: Tensor } {
    const [rows] = matrix(hidden);
    const [vocabulary] = matrix(weight);
    const [logProbs, entropy, logSumExp] = [0, 0, 0].map(() => this.#store.allocate([rows])) as [Handle, Handle, Handle];
    this.#inRowChunks(rows, vocabulary, (start, count) => {
      const logits = this.linear(this.#rows(hidden, start, count), weight);
      const at = (tensor: Tensor): number => this.#store.address(tensor) + 4 * start;
      this.#run(
        "headLogProbs", logits, at(targets), at(inverseTemperature), at(logProbs), at(entropy), at(logSumExp), count, vocabulary,
      );
    });
    return { logProbs, entropy, logSumExp };
  }
  headLogProbsBackward(
    dLogProbs: Tensor,
    forward: {
      readonly hidden: Tensor;
      readonly weight: Tensor;
      readonly targets: Tensor;
      readonly inverseTemperature: Tensor;
      readonly logSumExp: Tensor;
    },
  ): { readonly dHidden: Tensor; readonly dWeight: Tensor } {
    const { hidden, weight, targets, inverseTemperature, logSumExp } = forward;
    const [rows, width] = matrix(hidden);
    const [vocabulary] = matrix(weight);
    const dHidden = this.#store.allocate(hidden.shape);
    const dWeight = this.zeros(weight.shape);
    this.#inRowChunks(rows, vocabulary, (start, count) => {
      const part = this.#rows(hidden, start, count);
      const logits = this.linear(part, weight);
      const at = (tensor: Tensor): number => this.#store.address(tensor) + 4 * start;
      this.#run(
        "headLogProbsBackward", logits, at(targets), at(inverseTemperature), at(logSumExp), at(dLogProbs), count, vocabulary,
      );
      const gradients = this.linearBackward(logits, part, weight, { input: true, bias: false });
      this.#bytes(dHidden).set(this.#bytes(gradients.dX as Tensor), 4 * start * width);
      this.accumulate(dWeight, gradients.dWeight);
    });
    return { dHidden, dWeight };
  }

  sampleTokens(logits: Tensor, rows: SamplingRows): { readonly tokens: Tensor; readonly logProbs: Tensor } {
    const [count, vocabulary] = matrix(logits);
    const tokens = this.#store.allocate([count], "int32");
    const logProbs = this.#store.allocate([count]);
    this.scope(() => {
      const settings = [rows.temperature, rows.topK, rows.topP, rows.minP, rows.uniform].map((row) => this.upload(row, [count]));
      const scratch = this.#store.allocate([vocabulary]);
      this.#run("sampleTokens", this.copy(logits), count, vocabulary, ...settings, tokens, logProbs, scratch);
    });
    return { tokens, logProbs };
  }

  sumSquares(tensors: readonly Tensor[]): Tensor {
    const total = tensors.reduce((sum, tensor) => sum + this.#run("sumSquares", tensor, size(tensor)), 0);
    return this.upload(Float32Array.of(total), [1]);
  }
  adamW(
    param: Tensor,
    grad: Tensor,
    moments: { readonly first: Tensor; readonly second: Tensor },
    step: AdamWStep,
  ): void {
    expectShape(grad, param.shape, "adamW");
    const out = this.#memory.allocate(param.shape, "float32");
    const correction1 = 1 - step.beta1 ** step.step;
    const correction2 = 1 - step.beta2 ** step.step;
    this.#run(
      "adamW", param, grad, moments.first, moments.second, this.#memory.address(out), size(param),
      1 - step.learningRate * step.weightDecay, step.learningRate / correction1, step.beta1, step.beta2, step.epsilon,
      Math.sqrt(correction2), step.gradScale,
    );
    this.#store.replace(param, out);
  }

  /** Calls a fused function; a tensor argument becomes its address. */
  #run(name: string, ...args: readonly (Tensor | number)[]): number {
    const numbers = args.map((arg) => (typeof arg === "number" ? arg : this.#store.address(arg)));
    return (this.#memory.fused[name] as (...args: number[]) => number)(...numbers);
  }
  #bytes(tensor: Tensor): Uint8Array {
    return this.#memory.bytes(this.#store.data(tensor));
  }
  #data2d(tensor: Tensor): Tensor2D {
    return this.#store.data(tensor) as Tensor2D;
  }
  #transpose(data: TfTensor, rows: number, columns: number): TfTensor {
    const out = this.#memory.allocate([columns, rows], "float32");
    this.#memory.fused["transpose"]?.(this.#memory.address(data), this.#memory.address(out), rows, columns);
    return out;
  }
  #rows(tensor: Tensor, start: number, count: number): Tensor {
    const [rows, width] = matrix(tensor);
    if (start === 0 && count === rows) return tensor;
    const part = this.#store.allocate([count, width]);
    this.#bytes(part).set(this.#bytes(tensor).subarray(4 * start * width, 4 * (start + count) * width));
    return part;
  }
  #inRowChunks(rows: number, width: number, body: (start: number, count: number) => void): void {
    const most = Math.max(1, Math.floor(maxLogits / width));
    for (let start = 0; start < rows; start += most) this.scope(() => body(start, Math.min(most, rows - start)));
  }
  #cache(cache: KeyValueCache): WasmCache {
    const own = cache as WasmCache;
    if (!this.#caches.has(own)) throw new LaconicError("engine_failed", "a key-value cache is used after it was freed");
    return own;
  }
}

function matrix(tensor: Tensor): [rows: number, columns: number] {
  const [rows, columns] = tensor.shape;
  if (tensor.shape.length !== 2)
    throw new LaconicError("input_invalid", `expected a matrix, got shape [${tensor.shape.join(", ")}]`);
  return [rows as number, columns as number];
}

function size(tensor: Tensor): number {
  return tensor.shape.reduce((product, length) => product * length, 1);
}

function ceil4(count: number): number {
  return (count + 3) & ~3;
}

function heads(layout: SequenceLayout, shape: AttentionShape): number[] {
  return [layout.offsets.length - 1, shape.queryHeads, shape.kvHeads, shape.headDim, shape.scale];
}

function expectSize(length: number, shape: readonly number[]): void {
  if (length !== shape.reduce((product, n) => product * n, 1))
    throw new LaconicError("input_invalid", `${length} values do not fill shape [${shape.join(", ")}]`);
}

function expectShape(tensor: Tensor, shape: readonly number[], operation: string): void {
  if (tensor.shape.length !== shape.length || tensor.shape.some((n, i) => n !== shape[i]))
    throw new LaconicError("input_invalid", `${operation}: shape [${tensor.shape.join(", ")}] does not fit [${shape.join(", ")}]`);
}
