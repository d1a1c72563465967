import { LaconicError, type TrainingSequence } from "@laconic/core";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { packBatch, type PackedBatch } from "./packed-batch.ts";

const kernels = createReferenceKernels();

const packed = (sequences: readonly TrainingSequence[]): Promise<Record<string, number[]>> =>
  read(packBatch(kernels, sequences));

async function read(batch: PackedBatch): Promise<Record<string, number[]>> {
  const values = async (name: "tokens" | "positions" | "rows" | "targets" | "inverseTemperature"): Promise<number[]> =>
    Array.from(await kernels.read(batch[name]));
  return {
    tokens: await values("tokens"),
    positions: await values("positions"),
    rows: await values("rows"),
    targets: await values("targets"),
    inverseTemperature: await values("inverseTemperature"),
    offsets: Array.from(batch.layout.offsets),
    offsetsOnDevice: Array.from(await kernels.read(batch.layout.offsetsOnDevice)),
    predictionOffsets: Array.from(batch.predictionOffsets),
    counts: [batch.forest.tokens.length, batch.predicted.length, batch.layout.longest],
    parents: Array.from(batch.layout.tree?.parents ?? []),
    places: batch.places ? Array.from(await kernels.read(batch.places)) : [],
    predictions: Array.from(batch.predictions),
  };
}

test("each row predicts the next token; the prompt is not predicted, the last token is", async () => {
  const sequences = [
    { promptTokens: [10, 11, 12], completionTokens: [20, 21], temperature: 0.5 },
    { promptTokens: [13], completionTokens: [22] },
  ];
  expect(await packed(sequences)).toEqual({
    tokens: [10, 11, 12, 20, 13],
    positions: [0, 1, 2, 3, 0],
    rows: [2, 3, 4],
    targets: [20, 21, 22],
    inverseTemperature: [2, 2, 1],
    offsets: [0, 4, 5],
    offsetsOnDevice: [0, 4, 5],
    predictionOffsets: [0, 2, 3],
    counts: [5, 3, 4],
    parents: [],
    places: [],
    predictions: [0, 1, 2],
  });
});

test("shared prefixes are packed once; a branching row predicts a token for each branch", async () => {
  const sequences = [
    { promptTokens: [10, 11], completionTokens: [20, 21] },
    { promptTokens: [10, 11], completionTokens: [22, 21] },
    { promptTokens: [10, 11], completionTokens: [20, 21] },
    { promptTokens: [10, 11], completionTokens: [20], temperature: 0.5 },
    { promptTokens: [10, 11, 20, 21], completionTokens: [23] },
  ];
  expect(await packed(sequences)).toEqual({
    tokens: [10, 11, 20, 21, 22],
    positions: [0, 1, 2, 3, 2],
    rows: [1, 2, 3, 4],
    targets: [20, 21, 22, 21, 20, 23],
    inverseTemperature: [1, 1, 1, 1, 2, 1],
    offsets: [0, 2, 4, 5],
    offsetsOnDevice: [0, 2, 4, 5],
    predictionOffsets: [0, 2, 4, 6, 7, 8],
    counts: [5, 6, 4],
    parents: [-1, 0, 0],
    places: [0, 1, 0, 3, 0, 2],
    predictions: [0, 1, 2, 3, 0, 1, 4, 5],
  });
});

test("any batch: targets are the completions, and each row holds the token before its target", async () => {
  const token = fc.integer({ min: 0, max: 99 });
  const sequence = fc.record({
    promptTokens: fc.array(token, { minLength: 1, maxLength: 5 }),
    completionTokens: fc.array(token, { maxLength: 5 }),
  });
  const property = fc.asyncProperty(fc.array(sequence, { maxLength: 5 }), async (sequences) => {
    const batch = packBatch(kernels, sequences, { shared: false });
    const { tokens, rows, targets, offsets, predictionOffsets } = await read(batch);
    expect(targets).toEqual(sequences.flatMap(({ completionTokens }) => completionTokens));
    const before = sequences.flatMap(({ promptTokens, completionTokens }) =>
      completionTokens.map((_, i) => (i === 0 ? promptTokens.at(-1) : completionTokens[i - 1])),
    );
    expect(rows?.map((row) => tokens?.[row])).toEqual(before);
    const lengths = sequences.flatMap(({ promptTokens: { length }, completionTokens }) =>
      completionTokens.length > 0 ? [length + completionTokens.length - 1] : [],
    );
    expect(offsets?.slice(1).map((end, s) => end - (offsets[s] as number))).toEqual(lengths);
    expect(predictionOffsets?.at(-1)).toBe(targets?.length);
  });
  await fc.assert(property, { seed: 1, numRuns: 200 });
});

test("an empty completion takes no room but keeps its place", async () => {
  const sequences = [
    { promptTokens: [10, 11], completionTokens: [] },
    { promptTokens: [12], completionTokens: [20] },
    { promptTokens: [], completionTokens: [] },
  ];
  expect(await packed(sequences)).toMatchObject({
    tokens: [12],
    rows: [0],
    offsets: [0, 1],
    predictionOffsets: [0, 0, 1, 1],
  });
});

test("greedy completions are scored at temperature 1", async () => {
  const { inverseTemperature } = await packed([{ promptTokens: [1], completionTokens: [2], temperature: 0 }]);
  expect(inverseTemperature).toEqual([1]);
});

test("a completion without a prompt is refused by number", () => {
  const sequences = [
    { promptTokens: [1], completionTokens: [2] },
    { promptTokens: [], completionTokens: [3] },
  ];
  let thrown: unknown;
  try {
    packBatch(kernels, sequences);
  } catch (error) {
    thrown = error;
  }
  expect(LaconicError.is(thrown) && [thrown.code, thrown.detail["sequence"]]).toEqual(["input_invalid", 1]);
});
