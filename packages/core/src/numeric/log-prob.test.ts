import { expect, test } from "vitest";
import { ragged } from "../index.ts";
import { findBadLogProb, logProbRange, sampledLogProbRange } from "./index.ts";

const rows = (value: number): ReturnType<typeof ragged> => ragged([[-1, -0.5], [], [-2, value, -3]]);

test.each([0.002, 1, -1000.5, -9999, -1e30, -Infinity, Infinity, NaN])(
  "a sampler's log-prob of %d: names its index",
  (value) => {
    expect(findBadLogProb(rows(value), sampledLogProbRange)).toEqual({ sequence: 2, token: 1, value });
    expect(findBadLogProb(rows(value), sampledLogProbRange, Uint8Array.of(1, 1, 1, 0, 1))).toBeNull();
  },
);

test.each([0, 1e-6, 5e-4, -37, -1000])("a sampler's log-prob of %d passes", (value) => {
  expect(findBadLogProb(rows(value), sampledLogProbRange)).toBeNull();
});

test("a forward pass can give a token the probability of a masked one only if unmasked", () => {
  expect(findBadLogProb(rows(-5000), logProbRange)).toBeNull();
  expect(findBadLogProb(rows(-1e9), logProbRange)).toMatchObject({ sequence: 2, token: 1 });
});

test("names the first of several, and null without any", () => {
  expect(findBadLogProb(ragged([[], [NaN], [NaN]]), logProbRange)).toEqual({ sequence: 1, token: 0, value: NaN });
  expect(findBadLogProb(ragged([[], []]), logProbRange)).toBeNull();
  expect(findBadLogProb(ragged([]), logProbRange)).toBeNull();
});
