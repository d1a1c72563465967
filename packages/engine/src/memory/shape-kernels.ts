import { LaconicError } from "@laconic/core";
import type { Kernels, Tensor } from "../kernels/index.ts";

/** Kernel set with shapes but no data, to measure the memory of passes. */
export function createShapeKernels(dtype: Kernels["dtype"]): Kernels {
  const make = (shape: readonly number[], type: Tensor["dtype"] = "float"): Tensor => ({
    shape: [...shape],
    dtype: type,
  });
  const like = (tensor: Tensor): Tensor => make(tensor.shape, tensor.dtype);
  const rows = (tensor: Tensor): number => tensor.shape[0] as number;
  const columns = (tensor: Tensor): number => tensor.shape[1] as number;
  return {
    device: "shapes",
    backend: "none",
    dtype,
    deterministic: true,
    batchInvariant: true,
    cachePageSize: null,
    memory: () => null,
    scope: (body) => body(),
    keep: (tensor) => tensor,
    free: () => undefined,
    liveTensors: () => 0,
    dispose: () => undefined,
    upload: (data, shape) => make(shape, data instanceof Int32Array ? "int32" : "float"),
    read: () => Promise.reject(new LaconicError("engine_failed", "shape kernels hold no numbers")),
    zeros: (shape) => make(shape),
    copy: like,
    reshape: (tensor, shape) => make(shape, tensor.dtype),
    together: (shapes) => shapes.map((shape) => make(shape)),
    assign: () => undefined,
    columns: (x, _, count) => make([rows(x), count]),
    joinColumns: (parts) => make([rows(parts[0] as Tensor), parts.reduce((sum, part) => sum + columns(part), 0)]),
    add: like,
    multiply: like,
    scaled: like,
    accumulate: () => undefined,
    gatherRows: (table, index) => make([rows(index), columns(table)]),
    pickRows: (x, index) => make([rows(index), ...x.shape.slice(1)], x.dtype),
    writeRows: () => undefined,
    advance: () => undefined,
    scatterAddRows: (delta, _, rowCount) => make([rowCount, columns(delta)]),
    placeRows: () => undefined,
    linearOnto: () => undefined,
    linear: (x, weight) => make([rows(x), rows(weight)]),
    linearBackward: (dOut, x, weight, needs, into) => ({
      ...(needs.input && { dX: like(x) }),
      ...(needs.weight && !into?.dWeight && { dWeight: like(weight) }),
      ...(needs.bias && !into?.dBias && { dBias: make([columns(dOut)]) }),
    }),
    rmsNorm: (x) => ({ out: like(x), invRms: make([rows(x)]) }),
    rmsNormBackward: (_, x, weight) => ({ dX: like(x), dWeight: like(weight) }),
    rotary: like,
    attention: (q, _k, _v, { queryHeads }) => ({ out: like(q), logSumExp: make([rows(q), queryHeads]) }),
    attentionBackward: (_, { q, k, v }) => ({ dQ: like(q), dK: like(k), dV: like(v) }),
    createCache: (size) => ({ ...size }),
    freeCache: () => undefined,
    attentionCached: like,
    copyCachePages: () => undefined,
    swiGlu: like,
    swiGluBackward: (_, gate, up) => ({ dGate: like(gate), dUp: like(up) }),
    headLogits: (hidden, weight) => make([rows(hidden), rows(weight)]),
    headLogProbs: (hidden) => {
      const vector = (): Tensor => make([rows(hidden)]);
      return { logProbs: vector(), entropy: vector(), logSumExp: vector() };
    },
    headLogProbsBackward: (_, { hidden, weight }, needs, into) => ({
      dHidden: like(hidden),
      ...(needs.weight && !into?.dWeight && { dWeight: like(weight) }),
    }),
    sampleTokens: (logits) => ({ tokens: make([rows(logits)], "int32"), logProbs: make([rows(logits)]) }),
    tokenLogProbs: (logits, _, count) => ({
      logProbs: make([rows(logits)]),
      topTokens: make([rows(logits), count], "int32"),
      topLogProbs: make([rows(logits), count]),
    }),
    sumSquares: () => make([1]),
    adamW: () => undefined,
  };
}
