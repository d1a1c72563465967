import { LaconicError } from "@laconic/core";
import type { Engine, LoraSettings, TrainableModel, TrainingSequence } from "@laconic/core";
import { createReferenceKernels } from "../../kernels/testing/index.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { metered, type MeteredKernels } from "../../testing/metered-kernels.ts";
import { tinyConfig } from "../../testing/tiny-models.ts";
import type { Recompute } from "../../transformer/train-pass.ts";
import { createInlineEngine } from "../local-engine.ts";
import { halve } from "./micro-batches.ts";

const config = tinyConfig(
  "qwen3",
  { vocabulary: 11, width: 8, inner: 12, heads: 2 },
  { head_dim: 4, max_position_embeddings: 64, initializer_range: 0.3 },
);
const base = { kind: "config", config, seed: 1 } as const;

const sequences: readonly TrainingSequence[] = [5, 9, 2, 0, 14, 7].map((length, s) => ({
  promptTokens: [1, 2, 3 + s],
  completionTokens: Array.from({ length }, (_, t) => (s + 3 * t) % 11),
}));

const optimizer = { learningRate: 0.02, beta1: 0.9, beta2: 0.95, epsilon: 1e-6, weightDecay: 0, maxGradNorm: 1 };

interface Limited {
  readonly engine: Engine;
  readonly model: TrainableModel;
  readonly meters: readonly MeteredKernels[];
  readonly warnings: readonly string[];
  /** Log-probs after each of two steps, of all sequences; fills the optimizer's memory first. */
  train(): Promise<number[][]>;
}

async function open(
  lora: LoraSettings | null,
  limitBytes = Infinity,
  replicas = 1,
  recompute: Recompute = "none",
): Promise<Limited> {
  const meters = Array.from({ length: replicas }, () => metered(createReferenceKernels(), limitBytes));
  const warnings: string[] = [];
  const engine = await createInlineEngine(
    meters.map(({ kernels }) => kernels),
    { recompute, onWarning: (message) => warnings.push(message) },
  );
  const model = await engine.createModel(lora ? { kind: "adapter", base, lora, seed: 2 } : base);
  return {
    engine,
    model,
    meters,
    warnings,
    async train() {
      const seen: number[][] = [];
      for (let step = 0; step < 3; step++) {
        await model.forwardBackward(sequences, ({ values }) => values.map((value) => value / 10 - 0.1));
        await model.optimStep(optimizer);
        seen.push(Array.from((await model.forward(sequences)).logProbs.values));
      }
      return seen;
    },
  };
}

function largestDifference(a: readonly number[][], b: readonly number[][]): number {
  return Math.max(...a.flat().map((value, i) => Math.abs(value - (b.flat()[i] as number))));
}

test.for<{ name: string; lora: LoraSettings | null; replicas: number; recompute: Recompute }>([
  { name: "full", lora: null, replicas: 1, recompute: "none" },
  { name: "full, recomputed, two replicas", lora: null, replicas: 2, recompute: "layer" },
  { name: "LoRA with dropout", lora: { rank: 2, alpha: 4, dropout: 0.3 }, replicas: 1, recompute: "none" },
])("a run gives equal results under any limit, or names what does not fit: $name", async (input) => {
  const { lora, replicas, recompute } = input;
  const free = await open(lora, Infinity, replicas, recompute);
  const expected = await free.train();
  const peak = Math.max(...free.meters.map((meter) => meter.peak()));
  const tight = await open(lora, Infinity, replicas, recompute);
  const least = Math.max(...tight.meters.map((meter) => meter.bytes()));

  const outcomes = { whole: 0, split: 0, refused: 0 };
  const [differences, refusals] = [new Array<number>(), new Set<string>()];
  // Limits between the weights and the peak: operations of forward, backward and optimizer all get to fail.
  for (let limit = peak; limit > least; limit -= Math.ceil((peak - least) / 60)) {
    const limited = await open(lora, limit, replicas, recompute);
    const outcome = await limited.train().catch((error: unknown) => error);
    if (outcome instanceof Error) {
      refusals.add(LaconicError.is(outcome) ? outcome.code : String(outcome));
      outcomes.refused += 1;
    } else {
      differences.push(largestDifference(outcome as number[][], expected));
      outcomes[limited.warnings.length === 0 ? "whole" : "split"] += 1;
    }
    expect(limited.warnings.length).toBeLessThanOrEqual(1);
    await limited.model.dispose();
    for (const meter of limited.meters) expect(meter.bytes()).toBe(0);
  }
  expect(Math.max(...differences)).toBeLessThan(1e-10);
  expect([...refusals]).toEqual(["device_out_of_memory"]);
  expect(outcomes.whole).toBe(1);
  expect(outcomes.split).toBeGreaterThan(10);
  expect(outcomes.refused).toBeGreaterThan(0);
});

test("a single sequence that does not fit is refused with its tokens and bytes, and nothing is stepped on", async () => {
  const { model, meters } = await open(null);
  const long = { promptTokens: [1, 2], completionTokens: new Array<number>(40).fill(3) };
  const weights = meters[0]?.bytes() as number;
  const limited = await open(null, 4 * weights);
  const call = limited.model.forwardBackward([long], ({ values }) => new Float64Array(values.length).fill(-1));
  const error = await call.catch((reason: unknown) => reason);
  expect(error).toFailWith("device_out_of_memory", { tokens: 42, sequences: 1 });
  const { bytes } = (error as LaconicError).detail;
  expect((error as LaconicError).message).toContain(`a sequence of 42 tokens needs ${String(bytes)} bytes`);
  expect(bytes as number).toBeGreaterThan(3 * weights);
  expect(limited.warnings).toEqual([]);
  expect((await limited.model.optimStep(optimizer)).applied).toBe(false);
  expect(meters[0]?.bytes()).toBe(limited.meters[0]?.bytes());
  await model.dispose();
});

test("micro-batches start at the size that fitted once", async () => {
  const free = await open(null);
  await free.train();
  const limited = await open(null, (free.meters[0] as MeteredKernels).peak() * 0.7);
  let calls = 0;
  const count = (): Promise<unknown> =>
    limited.model.forwardBackward(sequences, ({ values }) => {
      calls += 1;
      return values.map(() => -0.1);
    });
  await count();
  const [first, warned] = [calls, limited.warnings[0]];
  expect(first).toBeGreaterThanOrEqual(1);
  expect(warned).toMatch(/^local-0: the device ran out of memory; micro-batches shrink to \d+ tokens/);
  await count();
  expect(calls).toBeGreaterThan(first);
  expect(limited.warnings).toHaveLength(1);
});

test("halves keep every row, in order, and neither is empty", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 20 }), (lengths) => {
      const apart = lengths.map((length, s) => ({
        promptTokens: [s],
        completionTokens: new Array<number>(length).fill(0),
      }));
      const numbers = [...apart.keys()];
      const halves = halve({ sequences: apart, numbers }, true)?.map((half) => [...half.numbers]) ?? [];
      expect(halves.flat()).toEqual(lengths.map((_, i) => i));
      expect(Math.min(...halves.map((half) => half.length))).toBeGreaterThan(0);
      const [first, second] = halves.map((half) => half.reduce((sum, i) => sum + (lengths[i] as number), 0)) as [
        number,
        number,
      ];
      expect(Math.abs(first - second)).toBeLessThanOrEqual(2 * Math.max(...lengths));
    }),
    { seed: 7 },
  );
  expect(halve({ sequences: [{ promptTokens: [1], completionTokens: [2, 3] }], numbers: [0] }, true)).toBeNull();
});
