import { describe, expect, test } from "vitest";
import type { Kernels, SamplingRows, Tensor } from "../contract.ts";
import { isOnDevice } from "../pack-sampling.ts";
import { createReferenceKernels, kernelCases } from "./index.ts";

describe("the reference kernels pass", () => {
  const kernels = createReferenceKernels();
  // 4,300 rows are in pieces on devices only.
  const cases = kernelCases.filter(({ name }) => !name.startsWith("headLogProbs in pieces"));
  for (const item of cases) test(item.name, () => item.run(() => kernels));
});

test("every case has a unique name", () => {
  expect(new Set(kernelCases.map(({ name }) => name)).size).toBe(kernelCases.length);
});

const resampled =
  (change: (rows: Required<SamplingRows>) => Partial<SamplingRows>) =>
  (k: Kernels): Partial<Kernels> => ({
    sampleTokens: (logits, rows) =>
      k.sampleTokens(logits, isOnDevice(rows) ? rows : { ...rows, ...change(rows as Required<SamplingRows>) }),
  });

interface Defect {
  readonly name: string;
  readonly noticedBy: string;
  readonly change: (kernels: Kernels) => Partial<Kernels>;
}

function defect(name: string, noticedBy: string, change: Defect["change"]): Defect {
  return { name, noticedBy, change };
}

const defects: readonly Defect[] = [
  defect("draws with the first column of uniform numbers always", "sampling from settings on the device", (k) => ({
    sampleTokens: (logits, rows) => k.sampleTokens(logits, isOnDevice(rows) ? { ...rows, column: 0 } : rows),
  })),
  defect("advances a copy", "positions advance", (k) => ({
    advance: (x, by) => k.scope(() => k.advance(k.copy(x), by)),
  })),
  defect("writes rows in order", "rows are written", (k) => ({
    writeRows: (into, rows, values) =>
      k.scope(() => {
        const order = Int32Array.from({ length: rows.shape[0] as number }, (_, i) => i);
        k.writeRows(into, k.upload(order, rows.shape), values);
      }),
  })),
  defect("loses the bias", "linear", (k) => ({ linear: (x, weight) => k.linear(x, weight) })),
  defect("is wrong by a thousandth in a gradient", "attention and its gradients", (k) => ({
    attentionBackward: (dOut, forward, shape, layout) =>
      k.attentionBackward(dOut, forward, { ...shape, scale: 1.001 * shape.scale }, layout),
  })),
  defect("returns a gradient nobody needs", "linearBackward returns", (k) => ({
    linearBackward: (dOut, x, weight) => k.linearBackward(dOut, x, weight, { input: true, weight: true, bias: true }),
  })),
  defect("holds a transposed weight over an update", "every operation sees a weight", (k) => {
    const held = new Map<Tensor, Tensor>();
    return {
      linear: (x, weight, bias) => {
        const copy = held.get(weight) ?? k.keep(k.copy(weight));
        held.set(weight, copy);
        return k.linear(x, copy, bias);
      },
    };
  }),
  defect("leaks a tensor", "swiGlu and its gradients", (k) => ({
    swiGlu: (gate, up) => {
      k.keep(k.zeros([1]));
      return k.swiGlu(gate, up);
    },
  })),
  defect("frees nothing at the end of a scope", "memory: a scope frees", () => ({ scope: (body) => body() })),
  defect("works in place", "add and accumulate", (k) => ({
    add: (a, b) => {
      k.accumulate(a, b);
      return k.copy(a);
    },
  })),
  defect("copies zeros", "memory: zeros, copy", (k) => ({ copy: (tensor) => k.zeros(tensor.shape) })),
  defect("turns positions the wrong way", "rotary", (k) => ({
    rotary: (x, tables, positions, heads, inverse = false) => k.rotary(x, tables, positions, heads, !inverse),
  })),
  defect("ignores the number of new positions", "cached attention equals", (k) => ({
    attentionCached: (q, key, v, cache, shape, plan) => {
      const past = new Int32Array(plan.past.length);
      return k.attentionCached(q, key, v, cache, shape, {
        ...plan,
        past,
        pastOnDevice: k.upload(past, [past.length]),
      });
    },
  })),
  defect("copies pages too short", "a copied page", (k) => ({
    copyCachePages: (cache, from, to, lengths) =>
      k.copyCachePages(
        cache,
        from,
        to,
        lengths.map((length) => length - 1),
      ),
  })),
  defect("ignores the temperature of the head", "headLogProbs and its gradients: 7", (k) => ({
    headLogProbs: (hidden, weight, targets, beta) =>
      k.headLogProbs(hidden, weight, targets, k.upload(new Float64Array(beta.shape[0] as number).fill(1), beta.shape)),
  })),
  defect(
    "draws from one end",
    "sampling: every token of 45",
    resampled(({ uniform }) => ({ uniform: uniform.map((u) => 1 - u) })),
  ),
  defect(
    "ignores top-k",
    "sampling: top-k 3",
    resampled(({ topK }) => ({ topK: topK.map(() => 0) })),
  ),
  defect(
    "ignores top-p",
    "sampling: top-p counts",
    resampled(({ topP }) => ({ topP: topP.map(() => 1) })),
  ),
  defect(
    "ignores min-p",
    "sampling: min-p 0.3",
    resampled(({ minP }) => ({ minP: minP.map(() => 0) })),
  ),
  defect(
    "is never greedy",
    "sampling: temperature 0 takes",
    resampled(({ temperature }) => ({ temperature: temperature.map((t) => t || 1) })),
  ),
  defect(
    "gives all rows the first row's settings",
    "sampling: each row",
    resampled(({ topK, temperature }) => ({
      topK: topK.map(() => topK[0] as number),
      temperature: temperature.map(() => temperature[0] as number),
    })),
  ),
  defect("forgets the bias correction", "adamW: three steps", (k) => ({
    adamW: (tensors, step) => k.adamW(tensors, { ...step, step: 1e9 }),
  })),
  defect("decays nothing", "adamW: decay", (k) => ({
    adamW: (tensors, step) => k.adamW(tensors, { ...step, weightDecay: 0 }),
  })),
  defect("leaves out a tensor of the norm", "sumSquares", (k) => ({
    sumSquares: (tensors) => k.sumSquares(tensors.slice(0, 3)),
  })),
  defect("does not look at shapes", "refuses what does not fit: add", (k) => ({ add: (a) => k.copy(a) })),
];

test.for(defects)("a kernel set that $name fails $noticedBy", async ({ noticedBy, change }) => {
  const kernels = createReferenceKernels();
  const broken = { ...kernels, ...change(kernels) };
  const outcomes = await Promise.allSettled(
    kernelCases.filter(({ name }) => name.startsWith(noticedBy)).map((item) => item.run(() => broken)),
  );
  expect(outcomes.some(({ status }) => status === "rejected")).toBe(true);
});
