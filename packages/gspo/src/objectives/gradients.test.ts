import { ragged, randomFromSeed, type Objective, type ObjectiveInput } from "@laconic/core";
import { describe, expect, test } from "vitest";
import {
  cispo,
  gmpo,
  grpo,
  gspo,
  gspoToken,
  klGradient,
  klValue,
  luspo,
  magrpo,
  reinforce,
  sapo,
  vespo,
} from "../index.ts";
import { centralDifferences } from "../testing/index.ts";

const clip = { low: 0.1, high: 0.15 };
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
const perSequence: ObjectiveInput = { ...input, advantages: Float64Array.of(1, -0.5, 0.25, -1, 0.75) };
const close = { relative: 1e-6, absolute: 1e-8 };
const rowOf = lengths.flatMap((length, s) => Array.from({ length }, () => s));
const trained = (t: number): boolean => input.mask?.[t] !== 0;
const logRatio = input.logProbs.values.map((value, t) => value - (input.oldLogProbs.values[t] as number));
const trainedTokens = tokens - 1;

/** d/dx of f at each log-prob, by central differences. */
function differentiate(f: (logProbs: Float64Array) => number): Float64Array {
  const at = (t: number, delta: number): number =>
    f(input.logProbs.values.with(t, (input.logProbs.values[t] as number) + delta));
  return input.logProbs.values.map((_, t) => (at(t, 1e-6) - at(t, -1e-6)) / 2e-6);
}

describe("one advantage per token", () => {
  test.each([
    ["grpo", grpo({ clip })],
    ["dapo", grpo({ clip, aggregation: "token-mean" })],
    ["dual clip", grpo({ clip, dualClip: 1.2 })],
    ["sapo", sapo()],
    ["reinforce", reinforce()],
  ] as const)("%s: the gradient is the derivative of the loss", (_, objective) => {
    expect(objective.evaluate(input).gradient).toBeAllclose(centralDifferences(objective, input), close);
  });

  test("gspo-token: the derivative of sg[s] π / sg[π] A_t, kept where its advantage is not clipped", () => {
    const { gradient } = gspoToken({ clip }).evaluate(input);
    const means = lengths.map((_, s) => {
      const own = [...logRatio].filter((_d, t) => rowOf[t] === s && trained(t));
      return { count: own.length, ratio: Math.exp(own.reduce((sum, d) => sum + d, 0) / own.length) };
    });
    const expected = differentiate((logProbs) =>
      logProbs.reduce((loss, value, t) => {
        const { count, ratio } = means[rowOf[t] as number] as { count: number; ratio: number };
        const advantage = input.advantages[t] as number;
        const clipped = advantage > 0 ? ratio > 1 + clip.high : ratio < 1 - clip.low;
        if (clipped || !trained(t)) return loss;
        const weighted = ratio * Math.exp(value - (input.logProbs.values[t] as number));
        return loss - (weighted * advantage) / (lengths.length * count);
      }, 0),
    );
    expect(gradient).toBeAllclose(expected, close);
    expect(gradient.filter((dLogProb) => dLogProb !== 0).length).toBeGreaterThan(8);
  });
});

describe("a detached weight: the derivative of -sg[weight] A log π", () => {
  const surrogate = (advantages: (t: number) => number, weight: (t: number) => number): Float64Array =>
    differentiate((logProbs) =>
      logProbs.reduce(
        (loss, value, t) => (trained(t) ? loss - (weight(t) * advantages(t) * value) / trainedTokens : loss),
        0,
      ),
    );

  test.each([
    [1.1, 0],
    [1.05, 0.95],
  ])("cispo, weight at most %d and at least %d", (maxRatio, minRatio) => {
    const weight = (t: number): number => Math.max(minRatio, Math.min(maxRatio, Math.exp(logRatio[t] as number)));
    const { gradient, loss } = cispo({ maxRatio, minRatio }).evaluate(input);
    expect(gradient).toBeAllclose(
      surrogate((t) => input.advantages[t] as number, weight),
      close,
    );
    const byHand = input.logProbs.values.reduce(
      (sum, value, t) => (trained(t) ? sum - weight(t) * (input.advantages[t] as number) * value : sum),
      0,
    );
    expect(loss).toBeCloseTo(byHand / trainedTokens, 12);
  });

  test("vespo, e^λ W^k e^(-λW) of the whole sequence", () => {
    const products = lengths.map((_, s) =>
      [...logRatio].reduce((product, d, t) => (rowOf[t] === s && trained(t) ? product * Math.exp(d) : product), 1),
    );
    const advantage = (t: number): number => perSequence.advantages[rowOf[t] as number] as number;
    const weight = (t: number): number => {
      const W = products[rowOf[t] as number] as number;
      const [k, lambda] = advantage(t) >= 0 ? [2, 3] : [3, 2];
      return Math.exp(lambda) * W ** k * Math.exp(-lambda * W);
    };
    expect(vespo().evaluate(perSequence).gradient).toBeAllclose(surrogate(advantage, weight), close);
  });
});

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

  test.each(ofSequences)("%s: a token goes into the mean as it is; there is nothing to clamp", (_, each) => {
    const { gradient } = each.evaluate(low);
    expect(gradient.slice(0, 3).every((dLogProb) => dLogProb !== 0)).toBe(true);
    expect(clampedOf(each, low)).toBe(0);
  });

  test("gspo's ratio is exp of the mean that is, (0.1 - 25 + 0.1) / 3", () => {
    const { diagnostics, loss } = gspo({ clip: { low: 1, high: 9 } }).evaluate(low);
    expect(diagnostics["ratio"]?.min).toBeCloseTo(Math.exp(-24.8 / 3), 15);
    expect(loss).toBeCloseTo(-(Math.exp(-24.8 / 3) + Math.exp(0.1)) / 2, 14);
    expect(diagnostics["log_ratio_abs"]?.max).toBe(25);
  });

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

  test.each([...ofTokens, ...ofSequences].filter(([name]) => name !== "gspo-token"))(
    "%s: so say central differences",
    (_, objective) => {
      for (const batch of [low, allLow])
        expect(objective.evaluate(batch).gradient).toBeAllclose(centralDifferences(objective, batch), close);
    },
  );

  test("the KL keeps its gradient there", () => {
    const kl = { estimator: "k2", coefficient: 0.1 } as const;
    const { gradient } = grpo({ kl }).evaluate({ ...low, refLogProbs: low.oldLogProbs });
    expect(gradient[1]).toBeCloseTo((0.1 * -25) / 6, 12);
  });
  test.each([
    ["reinforce", reinforce()],
    ["magrpo", magrpo()],
    ["cispo", cispo({ minRatio: 0.5 })],
    ["vespo", vespo()],
  ] as const)("%s has no gradient through a ratio: nothing to lose", (_, objective) => {
    expect(objective.evaluate(low).gradient[1]).not.toBe(0);
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
  test("small e keeps its digits: e^2 / 2", () => {
    expect(klValue("k3", 1e-7) / 5e-15).toBeCloseTo(1, 6);
  });
  test("in a loss the policy is pushed up where it has fallen far below the reference", () => {
    const kl = { estimator: "k3", coefficient: 0.1 } as const;
    const logProbs = ragged([[-30]]);
    const batch = { logProbs, oldLogProbs: logProbs, refLogProbs: ragged([[-1]]), advantages: Float64Array.of(0) };
    expect(grpo({ kl }).evaluate(batch).gradient[0]).toBeLessThan(-1e6);
  });
});
