import { ragged, randomFromSeed, type Objective, type ObjectiveInput } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { gmpo, grpo, gspo, gspoToken, klGradient, klValue, luspo, reinforce, sapo } from "../index.ts";

const lengths = [3, 1, 6, 4, 2];
const tokens = lengths.reduce((sum, length) => sum + length, 0);

/** Five sequences, one advantage per token of either sign, one token masked. */
function perToken(): ObjectiveInput {
  const random = randomFromSeed("slopes");
  const rows = lengths.map((length) => Array.from({ length }, () => -3 * random.uniform()));
  return {
    logProbs: ragged(rows.map((row) => row.map((value) => value + 0.1 * random.normal()))),
    oldLogProbs: ragged(rows),
    refLogProbs: ragged(rows.map((row) => row.map((value) => value + 0.3 * random.normal()))),
    advantages: Float64Array.from({ length: tokens }, () => random.normal()),
    mask: Uint8Array.from({ length: tokens }, (_, t) => (t === 5 ? 0 : 1)),
  };
}

const input = perToken();
const close = { relative: 1e-6, absolute: 1e-8 };
const trained = (t: number): boolean => input.mask?.[t] !== 0;
const trainedTokens = tokens - 1;

/** d/dx of f at each log-prob, by central differences. */
function differentiate(f: (logProbs: Float64Array) => number): Float64Array {
  const at = (t: number, delta: number): number =>
    f(input.logProbs.values.with(t, (input.logProbs.values[t] as number) + delta));
  return input.logProbs.values.map((_, t) => (at(t, 1e-6) - at(t, -1e-6)) / 2e-6);
}

test("bias-corrected k3+: the derivative of w k3 with w = π / π_old attached", () => {
  const coefficient = 0.05;
  const kl = { estimator: "k3+", coefficient, biasCorrection: true } as const;
  const [withKl, without] = [reinforce({ kl }).evaluate(input), reinforce().evaluate(input)];
  const term = (logProbs: Float64Array): number =>
    logProbs.reduce((sum, value, t) => {
      if (!trained(t)) return sum;
      const e = value - (input.refLogProbs?.values[t] as number);
      const w = Math.exp(value - (input.oldLogProbs.values[t] as number));
      return sum + (coefficient * w * (Math.exp(-e) + e - 1)) / trainedTokens;
    }, 0);
  expect(withKl.loss - without.loss).toBeCloseTo(term(input.logProbs.values), 12);
  expect(withKl.gradient.map((dLogProb, t) => dLogProb - (without.gradient[t] as number))).toBeAllclose(
    differentiate(term),
    close,
  );
});

describe("a log-ratio beyond 20", () => {
  /** The second token of the first sequence lies 25 below its old log-prob, which no clip stops where A > 0. */
  const low: ObjectiveInput = {
    logProbs: ragged([[-1, -30, -0.9], [-2]]),
    oldLogProbs: ragged([[-1.1, -5, -1], [-2.1]]),
    advantages: Float64Array.of(1, 1),
  };
  const high: ObjectiveInput = {
    logProbs: ragged([[-1, -5, -0.9], [-2]]),
    oldLogProbs: ragged([[-1.1, -30, -1], [-2.1]]),
    advantages: Float64Array.of(-1, -1),
  };
  /** The same for all three tokens of the first sequence, and so for its mean. */
  const [allLow, allHigh] = [low, high].map((each) => ({
    ...each,
    logProbs: ragged([[0, 1, 2].map(() => each.logProbs.values[1] as number), [-2]]),
    oldLogProbs: ragged([[0, 1, 2].map(() => each.oldLogProbs.values[1] as number), [-2.1]]),
  })) as [ObjectiveInput, ObjectiveInput];
  const clampedOf = (objective: Objective, each: ObjectiveInput): number | undefined =>
    objective.evaluate(each).diagnostics["ratio_clamped"]?.sum;

  const ofTokens = [
    ["grpo", grpo()],
    ["sapo", sapo()],
  ] as const;
  const ofSequences = [
    ["gspo", gspo()],
    ["gspo-token", gspoToken()],
    ["luspo", luspo()],
    ["gmpo", gmpo()],
  ] as const;

  test.each(ofTokens)(
    "%s: the clamped token has gradient 0, as the clamp has, and its neighbours keep theirs",
    (_, each) => {
      for (const batch of [low, high]) {
        const { gradient } = each.evaluate(batch);
        expect(gradient[1]).toBe(0);
        expect([gradient[0], gradient[2]]).not.toContain(0);
        expect(clampedOf(each, batch)).toBe(1);
      }
    },
  );

  test.each(ofSequences)("%s: a clamped mean has gradient 0, and the other sequence keeps its own", (name, each) => {
    // gmpo clips every token at 0.4 where A > 0, and lets them fall freely.
    const batches = name === "gmpo" ? [allLow] : [allLow, allHigh];
    for (const batch of batches) {
      const { gradient } = each.evaluate(batch);
      expect(Array.from(gradient.slice(0, 3))).toEqual([0, 0, 0]);
      expect(clampedOf(each, batch)).toBe(name === "gspo-token" ? 3 : 1);
    }
    expect(each.evaluate({ ...allLow, oldLogProbs: allLow.logProbs }).gradient[3]).not.toBe(0);
  });
});

describe("k3 on both sides of where it becomes its tangent", () => {
  test.each([-1e4, -100, -21, -20.001, -19.999, -19, -1, -1e-9, 0, 1e-9, 1, 19, 21, 300])(
    "e = %d: the gradient is the derivative of the value, and pushes back towards the reference",
    (e) => {
      const step = 1e-6 * Math.max(1, Math.abs(e));
      const difference = (klValue("k3", e + step) - klValue("k3", e - step)) / (2 * step);
      const dLogProb = klGradient("k3", e);
      expect(Math.abs(dLogProb - difference)).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(dLogProb)));
      expect(Math.sign(dLogProb)).toBe(Math.sign(e));
      expect(klValue("k3", e)).toBeGreaterThanOrEqual(0);
    },
  );
  test("value and gradient are continuous there, and as printed above it", () => {
    const above = -19.99999999999999;
    expect(klValue("k3", -20.00000000000001)).toBeCloseTo(klValue("k3", above), 3);
    expect(klGradient("k3", -20.00000000000001) / klGradient("k3", above)).toBeCloseTo(1, 12);
    expect(klValue("k3", -12) / (Math.exp(12) - 13)).toBeCloseTo(1, 15);
    expect(klGradient("k3", -25)).toBe(klGradient("k3", -20));
  });
  test("k1 is linear", () => expect([-30, 0, 2].map((e) => klGradient("k1", e))).toEqual([1, 1, 1]));
});
