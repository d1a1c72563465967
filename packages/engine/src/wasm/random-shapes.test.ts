import { randomFromSeed } from "@laconic/core";
import { sizeOf, type Kernels, type SequenceLayout, type Tensor } from "../kernels/index.ts";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { createKernels } from "./create-kernels.ts";

let wasm: Kernels;
beforeAll(async () => {
  wasm = await createKernels({});
});

const size = (largest: number): fc.Arbitrary<number> => fc.integer({ min: 1, max: largest });
const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

/** The same seeded numbers on whichever kernel set asks. */
function inputs(kernels: Kernels, seed: number) {
  const random = randomFromSeed(seed);
  const ints = (values: ArrayLike<number>): Tensor => kernels.upload(Int32Array.from(values), [values.length]);
  return {
    ints,
    normal: (...shape: number[]): Tensor => {
      const length = sizeOf(shape);
      return kernels.upload(
        Float32Array.from({ length }, () => random.normal()),
        shape,
      );
    },
    indices: (length: number, limit: number): Tensor => ints(Array.from({ length }, () => random.integer(limit))),
    uniform: (length: number): Float32Array => Float32Array.from({ length }, () => random.uniform()),
    layout: (lengths: readonly number[]): SequenceLayout => {
      const offsets = new Int32Array(lengths.length + 1);
      lengths.forEach((length, s) => (offsets[s + 1] = (offsets[s] as number) + length));
      return { offsets, offsetsOnDevice: ints(offsets), longest: Math.max(...lengths) };
    },
  };
}

/** Every result on wasm is within `tolerance` of the float64 one, relative to the largest magnitude or 1. */
async function expectAgreement(
  seed: number,
  compute: (kernels: Kernels, make: ReturnType<typeof inputs>) => Readonly<Record<string, Tensor>>,
  tolerance = 4e-6,
): Promise<void> {
  const run = async (kernels: Kernels): Promise<[string, number[]][]> => {
    const tensors = kernels.scope(() => compute(kernels, inputs(kernels, seed)));
    const names = Object.keys(tensors);
    const values = await Promise.all(Object.values(tensors).map((tensor) => kernels.read(tensor)));
    kernels.free(...Object.values(tensors));
    return names.map((name, i) => [name, Array.from(values[i] as ArrayLike<number>)]);
  };
  const expected = new Map(await run(createReferenceKernels()));
  for (const [name, values] of await run(wasm)) {
    const exact = expected.get(name) as number[];
    const absolute = tolerance * exact.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1);
    expect(values).toBeAllclose(exact, { relative: 0, absolute });
  }
}

test("dense products and their gradients", async () => {
  const shapes = fc.tuple(seeds, size(600), size(40), size(40));
  await fc.assert(
    fc.asyncProperty(shapes, ([seed, rows, inner, outer]) =>
      expectAgreement(seed, (kernels, make) => {
        const [x, weight, dOut] = [make.normal(rows, inner), make.normal(outer, inner), make.normal(rows, outer)];
        const out = kernels.linear(x, weight, make.normal(outer));
        return { out, ...kernels.linearBackward(dOut, x, weight, { input: true, weight: true, bias: true }) };
      }),
    ),
    { seed: 1, numRuns: 30 },
  );
});

test("attention and its gradients over packed sequences", async () => {
  const sequences = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 5 });
  const shapes = fc.tuple(seeds, sequences, size(3), size(3), size(20));
  await fc.assert(
    fc.asyncProperty(shapes, ([seed, lengths, group, kvHeads, half]) =>
      expectAgreement(seed, (kernels, make) => {
        const shape = { queryHeads: group * kvHeads, kvHeads, headDim: 2 * half, scale: 1 / Math.sqrt(2 * half) };
        const [rows, layout] = [lengths.reduce((sum, length) => sum + length, 0), make.layout(lengths)];
        const [q, k, v] = [
          make.normal(rows, group * kvHeads * 2 * half),
          make.normal(rows, kvHeads * 2 * half),
          make.normal(rows, kvHeads * 2 * half),
        ];
        const forward = { q, k, v, ...kernels.attention(q, k, v, shape, layout) };
        const dOut = make.normal(rows, group * kvHeads * 2 * half);
        const gradients = kernels.attentionBackward(dOut, forward, shape, layout);
        return { out: forward.out, logSumExp: forward.logSumExp, ...gradients };
      }),
    ),
    { seed: 2, numRuns: 40 },
  );
});

test("prefill and decode against a cache", async () => {
  const shapes = fc.tuple(seeds, fc.array(size(30), { minLength: 1, maxLength: 4 }), size(3), size(2), size(20));
  await fc.assert(
    fc.asyncProperty(shapes, ([seed, lengths, group, kvHeads, half]) =>
      expectAgreement(seed, (kernels, make) => {
        const shape = { queryHeads: group * kvHeads, kvHeads, headDim: 2 * half, scale: 0.3 };
        const count = lengths.length;
        const cache = kernels.createCache({ pages: count, pageSize: 31, kvHeads, headDim: 2 * half });
        // Sequences sit in the cache in the opposite order.
        const rows = Int32Array.from(lengths, (_, s) => count - 1 - s);
        const attend = (added: readonly number[], past: Int32Array): Tensor => {
          const total = added.reduce((sum, length) => sum + length, 0);
          const plan = {
            layout: make.layout(added),
            table: rows,
            tableOnDevice: kernels.reshape(make.ints(rows), [count, 1]),
            past,
            pastOnDevice: make.ints(past),
          };
          const [k, v] = [make.normal(total, kvHeads * 2 * half), make.normal(total, kvHeads * 2 * half)];
          return kernels.attentionCached(make.normal(total, group * kvHeads * 2 * half), k, v, cache, shape, plan);
        };
        const prefilled = attend(lengths, new Int32Array(count));
        const decoded = attend(
          lengths.map(() => 1),
          Int32Array.from(lengths),
        );
        kernels.freeCache(cache);
        return { prefilled, decoded };
      }),
    ),
    { seed: 3, numRuns: 40 },
  );
});

test("the head's log-probs, their gradients, and sampling", async () => {
  const shapes = fc.tuple(seeds, size(20), size(30), size(70));
  await fc.assert(
    fc.asyncProperty(shapes, ([seed, rows, width, vocabulary]) =>
      expectAgreement(
        seed,
        (kernels, make) => {
          const input = {
            hidden: make.normal(rows, width),
            weight: make.normal(vocabulary, width),
            targets: make.indices(rows, vocabulary),
            inverseTemperature: make.normal(rows),
          };
          const head = kernels.headLogProbs(input.hidden, input.weight, input.targets, input.inverseTemperature);
          const gradients = kernels.headLogProbsBackward(
            make.normal(rows),
            { ...input, logSumExp: head.logSumExp },
            { weight: true },
          );
          const drawn = kernels.sampleTokens(make.normal(rows, vocabulary), {
            temperature: make.uniform(rows).map((u) => (u < 0.2 ? 0 : 2 * u)),
            topK: Int32Array.from(make.uniform(rows), (u) => Math.floor(u * vocabulary)),
            topP: make.uniform(rows).map((u) => 0.3 + 0.7 * u),
            minP: make.uniform(rows).map((u) => 0.2 * u),
            uniform: make.uniform(rows),
          });
          return { ...head, ...gradients, tokens: drawn.tokens, sampled: drawn.logProbs };
        },
        1e-5,
      ),
    ),
    { seed: 4, numRuns: 40 },
  );
});
