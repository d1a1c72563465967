import { ragged, type Objective, type ObjectiveInput } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { gmpo, grpo, gspo, gspoToken, klGradient, klValue, luspo, sapo } from "../index.ts";

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
  const [allLow, allHigh] = [low, high].map((objectiveInput) => ({
    ...objectiveInput,
    logProbs: ragged([[0, 1, 2].map(() => objectiveInput.logProbs.values[1] as number), [-2]]),
    oldLogProbs: ragged([[0, 1, 2].map(() => objectiveInput.oldLogProbs.values[1] as number), [-2.1]]),
  })) as [ObjectiveInput, ObjectiveInput];
  const clampedOf = (objective: Objective, objectiveInput: ObjectiveInput): number | undefined =>
    objective.evaluate(objectiveInput).diagnostics["ratio_clamped"]?.sum;

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
    (_, objective) => {
      for (const batch of [low, high]) {
        const { gradient } = objective.evaluate(batch);
        expect(gradient[1]).toBe(0);
        expect([gradient[0], gradient[2]]).not.toContain(0);
        expect(clampedOf(objective, batch)).toBe(1);
      }
    },
  );

  test.each(ofSequences)(
    "%s: a clamped mean has gradient 0, and the other sequence keeps its own",
    (name, objective) => {
      // gmpo clips every token at 0.4 where A > 0, and lets them fall freely.
      const batches = name === "gmpo" ? [allLow] : [allLow, allHigh];
      for (const batch of batches) {
        const { gradient } = objective.evaluate(batch);
        expect(Array.from(gradient.slice(0, 3))).toEqual([0, 0, 0]);
        expect(clampedOf(objective, batch)).toBe(name === "gspo-token" ? 3 : 1);
      }
      expect(objective.evaluate({ ...allLow, oldLogProbs: allLow.logProbs }).gradient[3]).not.toBe(0);
    },
  );
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
