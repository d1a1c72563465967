import { inputError } from "@laconic/core";
import { kernelSampling } from "@laconic/core/backends";
import type { GradientPlace, Kernels, SequenceLayout, Tensor, CreateKernels, KernelSource } from "../contract.ts";
import { KeyValueCaches } from "../key-value-caches.ts";
import { isOnDevice, packSampling } from "../pack-sampling.ts";
import { checkedKernels } from "../checked-kernels.ts";
import { sizeOf } from "../shape-checks.ts";
import { adamW } from "./reference/adamw.ts";
import { attention, attentionBackward } from "./reference/attention.ts";
import { headLogProbs, headLogProbsBackward } from "./reference/head-log-probs.ts";
import { attentionCached, copyCachePages, createCache, expectOwnPages } from "./reference/key-value-cache.ts";
import type { ReferenceCache } from "./reference/key-value-cache.ts";
import { linear, linearBackward } from "./reference/linear.ts";
import type { Matrix } from "./reference/matrix.ts";
import { rmsNorm, rmsNormBackward } from "./reference/rms-norm.ts";
import { rotary } from "./reference/rotary.ts";
import {
  columns as columnsOf,
  gatherRows,
  joinColumns,
  pickRows,
  scatterAddRows,
  writeRows,
} from "./reference/rows.ts";
import { likeliestTokens, sampleToken, type SamplingRow } from "./reference/sample-token.ts";
import { swiGlu, swiGluBackward } from "./reference/swiglu.ts";
import { TensorStore } from "./reference/tensor-store.ts";

/**
 * Implements the kernel contract in plain float64 JavaScript, as reference for other sets. Checks shapes, indices
 * and lifetimes strictly.
 */
export function createReferenceKernels(): Kernels {
  const store = new TensorStore();
  const caches = new KeyValueCaches<ReferenceCache>();

  const matrix = (tensor: Tensor): Matrix => store.matrix(tensor);
  const floats = (tensor: Tensor): Float64Array => store.floats(tensor);
  const fromMatrix = ({ data, rows, columns }: Matrix): Tensor => store.make(data, [rows, columns]);
  const fromVector = (data: Float64Array | Int32Array): Tensor => store.make(data, [data.length]);
  const indices = (tensor: Tensor, count: number, what: string): Int32Array => {
    const rows = store.ints(tensor, what);
    const bad = rows.findIndex((row) => row < 0 || row >= count);
    if (bad >= 0) throw inputError(`${what}: entry ${bad} is ${rows[bad]}, outside 0..${count - 1}`);
    return rows;
  };
  const hostCopy = (host: Int32Array, device: Tensor, what: string): void => {
    const other = store.ints(device, what);
    if (other.length !== host.length)
      throw inputError(`${what}: ${other.length} device numbers, ${host.length} host numbers`);
    if (host.some((value, i) => value !== other[i]))
      throw inputError(`${what}: the host's and the device's numbers differ`);
  };
  const checkLayout = (layout: SequenceLayout, what: string): void => {
    hostCopy(layout.offsets, layout.offsetsOnDevice, `${what}: layout.offsets`);
    if (layout.tree) hostCopy(layout.tree.parents, layout.tree.parentsOnDevice, `${what}: layout.tree.parents`);
  };

  const pairwise =
    (of: (a: number, b: number) => number): Kernels["add"] =>
    (a, b) => {
      const right = floats(b);
      return store.make(
        floats(a).map((value, i) => of(value, right[i] as number)),
        a.shape,
      );
    };

  const settled = <Name extends "dWeight" | "dBias">(
    name: Name,
    gradientPlace: GradientPlace | undefined,
    gradient: Float64Array,
    shape: readonly number[],
  ): { readonly [K in Name]?: Tensor } => {
    if (!gradientPlace) return { [name]: store.make(gradient, shape) } as { readonly [K in Name]?: Tensor };
    const into = floats(gradientPlace.tensor);
    gradient.forEach((value, i) => (into[i] = (gradientPlace.add ? (into[i] as number) : 0) + value));
    return {};
  };

  return checkedKernels(indices, {
    device: "reference",
    backend: "plain JavaScript",
    dtype: "float64",
    deterministic: true,
    batchInvariant: true,
    cachePageSize: 4,
    memory: () => null,

    ...store.kernels(),
    liveTensors: () => store.count + caches.count,
    dispose: () => {
      store.dispose();
      caches.dispose();
    },

    upload: (data, shape) => store.make(data instanceof Int32Array ? data.slice() : Float64Array.from(data), shape),
    read: (tensor) => Promise.resolve(store.data(tensor).slice()),
    zeros: (shape) => store.make(new Float64Array(sizeOf(shape)), shape),
    copy: (tensor) => store.make(store.data(tensor).slice(), tensor.shape),
    reshape: (tensor, shape) => store.make(store.data(tensor).slice(), shape),
    together: (shapes) => shapes.map((shape) => store.make(new Float64Array(sizeOf(shape)), shape)),
    assign: (into, from) => into.forEach((tensor, i) => floats(tensor).set(floats(from[i] as Tensor))),
    columns: (x, start, count) => fromMatrix(columnsOf(matrix(x), start, count)),
    joinColumns: (parts) => fromMatrix(joinColumns(parts.map(matrix))),

    add: pairwise((a, b) => a + b),
    multiply: pairwise((a, b) => a * b),
    scaled: (x, factor) =>
      store.make(
        floats(x).map((value) => value * factor),
        x.shape,
      ),
    accumulate: (into, delta) => {
      const right = floats(delta);
      const sum = floats(into);
      sum.forEach((value, i) => (sum[i] = value + (right[i] as number)));
    },

    gatherRows: (table, rows) => {
      const source = matrix(table);
      return fromMatrix(gatherRows(source, indices(rows, source.rows, "gatherRows: rows")));
    },
    scatterAddRows: (delta, rows, rowCount) => {
      const source = matrix(delta);
      return fromMatrix(scatterAddRows(source, indices(rows, rowCount, "scatterAddRows: rows"), rowCount));
    },
    pickRows: (x, rows) => {
      const [count = 0, width = 1] = x.shape;
      const picked = pickRows(store.data(x), width, indices(rows, count, "pickRows: rows"));
      return store.make(picked, [rows.shape[0] as number, ...x.shape.slice(1)]);
    },
    writeRows: (into, rows, values) => {
      const [count = 0, width = 1] = into.shape;
      writeRows(store.data(into), width, indices(rows, count, "writeRows: rows"), store.data(values));
    },
    advance: (x, by) => {
      const data = store.ints(x, "advance");
      data.forEach((value, i) => (data[i] = value + by));
    },

    placeRows: ({ tensor, add }, delta, rows) => {
      const [table, source] = [matrix(tensor), matrix(delta)];
      const sums = scatterAddRows(source, indices(rows, table.rows, "placeRows: rows"), table.rows);
      sums.data.forEach((value, i) => (table.data[i] = (add ? (table.data[i] as number) : 0) + value));
    },

    linearOnto: (into, x, weight, bias) => {
      const sum = floats(into);
      const more = linear(matrix(x), matrix(weight), bias && floats(bias)).data;
      more.forEach((value, i) => (sum[i] = (sum[i] as number) + value));
    },
    linear: (x, weight, bias) => fromMatrix(linear(matrix(x), matrix(weight), bias && floats(bias))),
    linearBackward: (dOut, x, weight, needs, into = {}) => {
      const { dX, dWeight, dBias } = linearBackward(matrix(dOut), matrix(x), matrix(weight));
      return {
        ...(needs.input && { dX: fromMatrix(dX) }),
        ...(needs.weight && settled("dWeight", into.dWeight, dWeight.data, weight.shape)),
        ...(needs.bias && settled("dBias", into.dBias, dBias, [dBias.length])),
      };
    },

    rmsNorm: (x, weight, epsilon) => {
      const { out, invRms } = rmsNorm(matrix(x), floats(weight), epsilon);
      return { out: fromMatrix(out), invRms: fromVector(invRms) };
    },
    rmsNormBackward: (dOut, x, weight, invRms) => {
      const { dX, dWeight } = rmsNormBackward(matrix(dOut), matrix(x), floats(weight), floats(invRms));
      return { dX: fromMatrix(dX), dWeight: fromVector(dWeight) };
    },

    rotary: (x, tables, positions, heads, inverse = false) => {
      const [cos, sin] = [matrix(tables.cos), matrix(tables.sin)];
      const rows = indices(positions, cos.rows, "rotary: positions");
      return fromMatrix(rotary(matrix(x), cos, sin, rows, heads, inverse ? -1 : 1));
    },

    attention: (q, k, v, shape, layout) => {
      checkLayout(layout, "attention");
      const { out, logSumExp } = attention(matrix(q), matrix(k), matrix(v), shape, layout);
      return { out: fromMatrix(out), logSumExp: fromMatrix(logSumExp) };
    },
    attentionBackward: (dOut, { q, k, v }, shape, layout) => {
      checkLayout(layout, "attentionBackward");
      const { dQ, dK, dV } = attentionBackward(matrix(dOut), matrix(q), matrix(k), matrix(v), shape, layout);
      return { dQ: fromMatrix(dQ), dK: fromMatrix(dK), dV: fromMatrix(dV) };
    },

    createCache: (size) => caches.adopt(createCache(size)),
    freeCache: (cache) => void caches.release(cache),
    attentionCached: (q, k, v, keyValueCache, shape, plan) => {
      const what = "attentionCached";
      const { cache } = caches.attended(q, k, v, keyValueCache, shape, plan);
      checkLayout(plan.layout, what);
      hostCopy(plan.table, plan.tableOnDevice, `${what}: plan.table`);
      hostCopy(plan.past, plan.pastOnDevice, `${what}: plan.past`);
      expectOwnPages(plan, cache.pageSize, what);
      return fromMatrix(attentionCached(matrix(q), matrix(k), matrix(v), cache, shape, plan));
    },
    copyCachePages: (cache, from, to, lengths, source = cache) => {
      const { target, origin } = caches.copied(cache, from, to, lengths, source);
      copyCachePages(target, from, to, lengths, origin);
    },

    swiGlu: (gate, up, curve) => store.make(swiGlu(floats(gate), floats(up), curve), gate.shape),
    swiGluBackward: (dOut, gate, up, curve) => {
      const { dGate, dUp } = swiGluBackward(floats(dOut), floats(gate), floats(up), curve);
      return { dGate: store.make(dGate, gate.shape), dUp: store.make(dUp, gate.shape) };
    },

    headLogits: (hidden, weight) => fromMatrix(linear(matrix(hidden), matrix(weight))),
    headLogProbs: (hidden, weight, targets, inverseTemperature) => {
      const [H, W] = [matrix(hidden), matrix(weight)];
      const ids = indices(targets, W.rows, "headLogProbs: targets");
      const result = headLogProbs(H, W, ids, floats(inverseTemperature));
      return {
        logProbs: fromVector(result.logProbs),
        entropy: fromVector(result.entropy),
        logSumExp: fromVector(result.logSumExp),
      };
    },
    headLogProbsBackward: (dLogProbs, { hidden, weight, targets, inverseTemperature }, needs, into = {}) => {
      const what = "headLogProbsBackward";
      const [H, W] = [matrix(hidden), matrix(weight)];
      const ids = indices(targets, W.rows, `${what}: targets`);
      const d = floats(dLogProbs);
      const { dHidden, dWeight } = headLogProbsBackward(d, H, W, ids, floats(inverseTemperature));
      return {
        dHidden: fromMatrix(dHidden),
        ...(needs.weight && settled("dWeight", into.dWeight, dWeight.data, weight.shape)),
      };
    },

    sampleTokens: (logits, rows) => {
      const L = matrix(logits);
      const table = isOnDevice(rows) ? matrix(rows.settings) : null;
      const chances = isOnDevice(rows) ? matrix(rows.uniforms) : null;
      const packed = isOnDevice(rows) ? null : packSampling(rows).settings;
      const rowOf = (b: number): SamplingRow => {
        const values = kernelSampling.map((name, i) => [
          name,
          table ? table.at(b, i) : (packed?.[kernelSampling.length * b + i] as number),
        ]);
        const uniform = isOnDevice(rows) ? chances?.at(b, rows.column) : rows.uniform[b];
        return { ...(Object.fromEntries(values) as Omit<SamplingRow, "uniform">), uniform: uniform as number };
      };
      const drawn = Array.from({ length: L.rows }, (_, b) => sampleToken(L.row(b), rowOf(b)));
      return {
        tokens: fromVector(Int32Array.from(drawn, ({ token }) => token)),
        logProbs: fromVector(Float64Array.from(drawn, ({ logProb }) => logProb)),
      };
    },

    tokenLogProbs: (logits, tokens, count) => {
      const L = matrix(logits);
      const chosen = indices(tokens, L.columns, "tokenLogProbs: tokens");
      const rows = Array.from({ length: L.rows }, (_, b) => likeliestTokens(L.row(b), count));
      return {
        logProbs: fromVector(Float64Array.from(rows, ({ logProbs }, b) => logProbs[chosen[b] as number] as number)),
        topTokens: store.make(Int32Array.from(rows.flatMap(({ order }) => order)), [L.rows, count]),
        topLogProbs: store.make(
          Float64Array.from(rows.flatMap(({ order, logProbs }) => order.map((token) => logProbs[token] as number))),
          [L.rows, count],
        ),
      };
    },

    sumSquares: (tensors) => {
      const squares = tensors.map((tensor) => floats(tensor).reduce((sum, value) => sum + value * value, 0));
      return fromVector(Float64Array.of(squares.reduce((sum, value) => sum + value, 0)));
    },
    adamW: (tensors, step) => {
      const squares = step.clip && (floats(step.clip.squares)[0] as number);
      if (squares !== undefined && !Number.isFinite(squares)) return;
      const norm = Math.sqrt(squares ?? 0);
      const gradScale = step.clip && norm > step.clip.maxNorm ? step.clip.maxNorm / norm : 1;
      for (const tensor of tensors) {
        const [param, grad, first, second] = [tensor.param, tensor.grad, tensor.first, tensor.second].map((item) =>
          floats(item),
        ) as [Float64Array, Float64Array, Float64Array, Float64Array];
        adamW(param, grad, first, second, step, gradScale);
      }
    },
  });
}

/** Float64 reference kernels in plain JavaScript. */
export function referenceKernels(): KernelSource {
  return { device: "reference", module: import.meta.url };
}

/** Creates the float64 reference kernels. */
export const createKernels: CreateKernels = () => Promise.resolve(createReferenceKernels());
