import { ragged, raggedSelect, type Objective, type ObjectiveInput } from "@laconic/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  cispo,
  gmpo,
  grpo,
  gspo,
  gspoToken,
  luspo,
  magrpo,
  reinforce,
  sapo,
  unitIndex,
  withRatioUnits,
} from "./index.ts";
import { centralDifferences } from "./testing/index.ts";

const clip = { low: 0.1, high: 0.15 };
const kl = { coefficient: 0.05 } as const;
/** Every objective whose printed gradient is the derivative of its printed loss. */
const differentiable: readonly (readonly [string, Objective])[] = [
  ["gspo", gspo({ clip })],
  ["gspo with a length floor", gspo({ clip, minLength: 4 })],
  ["grpo", grpo({ clip })],
  ["dapo", grpo({ clip, aggregation: "token-mean" })],
  ["dr-grpo", grpo({ clip, aggregation: "seq-mean-token-sum-norm", constantLength: 7 })],
  ["grpo, token sum", grpo({ clip, aggregation: "token-sum" })],
  ["grpo, prompt mean", grpo({ clip, aggregation: "prompt-mean" })],
  ["dual clip", grpo({ clip, dualClip: 1.2 })],
  ["reinforce", reinforce()],
  ["sapo", sapo()],
  ["luspo", luspo({ clip })],
  ["gmpo", gmpo({ clip })],
  ["magrpo", magrpo()],
  ["gspo + k2", gspo({ clip, kl: { ...kl, estimator: "k2" } })],
  ["grpo + k3", grpo({ clip, kl: { ...kl, estimator: "k3" } })],
  ["grpo, truncated weights", grpo({ clip, importance: { kind: "truncate", level: "token", cap: 1.1 } })],
  ["gspo, masked weights", gspo({ clip, importance: { kind: "mask", level: "geometric", cap: 1.5 } })],
];

interface Sample {
  readonly input: ObjectiveInput;
}

const value = (min: number, max: number): fc.Arbitrary<number> => fc.double({ min, max, noNaN: true });

const samples: fc.Arbitrary<Sample> = fc
  .array(
    fc.record({
      advantage: value(-2, 2),
      group: fc.integer({ min: 0, max: 1 }),
      tokens: fc.array(
        fc.record({
          old: value(-4, -0.4),
          d: value(-0.3, 0.3),
          ref: value(-0.5, 0.5),
          roll: value(0.01, 0.3), // never 0: sampler and trainer that agree need no weights
          trained: fc.boolean(),
        }),
        { maxLength: 6 },
      ),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((rows) => {
    const take = (pick: (token: (typeof rows)[0]["tokens"][0]) => number): ReturnType<typeof ragged> =>
      ragged(rows.map((row) => row.tokens.map(pick)));
    return {
      input: {
        logProbs: take((token) => token.old + token.d),
        oldLogProbs: take((token) => token.old),
        refLogProbs: take((token) => token.old + token.ref),
        rollLogProbs: take((token) => token.old + token.roll),
        mask: Uint8Array.from(rows.flatMap((row) => row.tokens.map((token) => (token.trained ? 1 : 0)))),
        groups: Int32Array.from(rows, (row) => row.group),
        advantages: Float64Array.from(rows, (row) => row.advantage),
      },
    };
  });

describe.each(differentiable)("%s", (_, objective) => {
  test("the gradient is the derivative of the loss", () => {
    fc.assert(
      fc.property(samples, ({ input }) => {
        const { gradient } = objective.evaluate(input);
        const coarse = centralDifferences(objective, input, 1e-5);
        const fine = centralDifferences(objective, input, 1e-6);
        gradient.forEach((dLogProb, t) => {
          // Two step sizes disagree where a clip's kink lies between them: no derivative there.
          if (Math.abs((coarse[t] as number) - (fine[t] as number)) > 1e-7) return;
          expect(Math.abs(dLogProb - (fine[t] as number))).toBeLessThan(1e-7);
        });
      }),
      { seed: 1, numRuns: 150 },
    );
  });

  test("masked tokens have gradient 0 and change nothing", () => {
    fc.assert(
      fc.property(samples, ({ input }) => {
        const { loss, gradient } = objective.evaluate(input);
        const moved = Float64Array.from(input.logProbs.values, (v, t) => (input.mask?.[t] === 0 ? v - 1.7 : v));
        const other = objective.evaluate({ ...input, logProbs: { ...input.logProbs, values: moved } });
        expect(other.loss).toBe(loss);
        gradient.forEach((dLogProb, t) => expect(input.mask?.[t] === 0 ? dLogProb : 0).toBe(0));
      }),
      { seed: 2, numRuns: 50 },
    );
  });

  // prompt-mean takes no parts: see the refusals.
  test.skipIf(objective.settings["aggregation"] === "prompt-mean")(
    "micro-batches add up to the whole batch (TRL bnpo and SkyRL token_mean_legacy depend on the split)",
    () => {
      fc.assert(
        fc.property(samples, ({ input }) => {
          const whole = objective.evaluate(input);
          const sequences = input.logProbs.offsets.length - 1;
          const lengths = Array.from({ length: sequences }, (_u, s) =>
            (input.mask ?? new Uint8Array())
              .subarray(input.logProbs.offsets[s], input.logProbs.offsets[s + 1])
              .reduce((n, m) => n + m, 0),
          );
          const totals = {
            sequences: lengths.filter((length) => length > 0).length,
            tokens: lengths.reduce((sum, length) => sum + length, 0),
            groups: new Set(lengths.flatMap((length, s) => (length > 0 ? [input.groups?.[s]] : []))).size,
          };
          const parts = [0, 1].map((part) =>
            Array.from({ length: sequences }, (_u, s) => s).filter((s) => s % 2 === part),
          );
          const loss = parts.reduce((sum, rows) => sum + objective.evaluate(select(input, rows, totals)).loss, 0);
          expect(Math.abs(loss - whole.loss)).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(whole.loss)));
        }),
        { seed: 3, numRuns: 50 },
      );
    },
  );
});

test("diagnostics are what the trained tokens say, counted one by one", () => {
  const importance = { kind: "truncate", level: "token", cap: 1.1 } as const;
  fc.assert(
    fc.property(samples, ({ input }) => {
      const { logProbs, oldLogProbs, rollLogProbs, mask, advantages } = input;
      const tokens = [...logProbs.values.keys()].filter((t) => mask?.[t] === 1);
      const d = tokens.map((t) => (logProbs.values[t] as number) - (oldLogProbs.values[t] as number));
      const rho = tokens.map((t) => Math.exp((oldLogProbs.values[t] as number) - (rollLogProbs?.values[t] as number)));
      const rowOf = (t: number): number => logProbs.offsets.findLastIndex((start) => start <= t);
      const A = tokens.map((t) => advantages[rowOf(t)] as number);
      const low = d.map((x, i) => Number((A[i] as number) < 0 && Math.exp(x) < 1 - clip.low));
      const high = d.map((x, i) => Number((A[i] as number) > 0 && Math.exp(x) > 1 + clip.high));
      const sum = (values: readonly number[]): number => values.reduce((total, item) => total + item, 0);
      const expected: Record<string, readonly number[]> = {
        ratio: d.map(Math.exp),
        ratio_clamped: d.map(() => 0),
        log_ratio_abs: d.map(Math.abs),
        "approx_kl/k1": d.map((x) => -x),
        "approx_kl/k3": d.map((x) => Math.exp(x) - 1 - x),
        "clip_ratio/low": low,
        "clip_ratio/high": high,
        "clip_ratio/region": low.map((side, i) => side + (high[i] as number)),
        "sampling/ratio": rho,
        "sampling/ess": rho.length === 0 ? [] : [sum(rho) ** 2 / (rho.length * sum(rho.map((r) => r * r)))],
        empty_sequences: Array.from(advantages, (_, s) => Number(!tokens.some((t) => rowOf(t) === s))),
      };
      const { diagnostics } = grpo({ clip, importance }).evaluate(input);
      for (const [name, values] of Object.entries(expected)) {
        const statistic = diagnostics[name];
        const numbers = [sum(values), values.length, Math.min(...values), Math.max(...values)];
        expect([statistic?.sum, statistic?.count, statistic?.min, statistic?.max]).toBeAllclose(numbers, {
          absolute: 1e-12,
        });
      }
    }),
    { seed: 7 },
  );
});

function select(
  input: ObjectiveInput,
  rows: readonly number[],
  totals: NonNullable<ObjectiveInput["totals"]>,
): ObjectiveInput {
  const { offsets } = input.logProbs;
  return {
    logProbs: raggedSelect(input.logProbs, rows),
    oldLogProbs: raggedSelect(input.oldLogProbs, rows),
    refLogProbs: raggedSelect(input.refLogProbs as never, rows),
    rollLogProbs: raggedSelect(input.rollLogProbs as never, rows),
    mask: Uint8Array.from(rows.flatMap((row) => [...(input.mask?.subarray(offsets[row], offsets[row + 1]) ?? [])])),
    groups: Int32Array.from(rows, (row) => input.groups?.[row] as number),
    advantages: Float64Array.from(rows, (row) => input.advantages[row] as number),
    totals,
  };
}

describe("identities", () => {
  test("gspo-token with equal advantages is gspo, in value and gradient", () => {
    fc.assert(
      fc.property(samples, ({ input }) => {
        const [a, b] = [gspo({ clip }).evaluate(input), gspoToken({ clip }).evaluate(input)];
        expect(b.loss).toBeCloseTo(a.loss, 12);
        a.gradient.forEach((dLogProb, t) => expect(b.gradient[t]).toBeCloseTo(dLogProb, 12));
      }),
      { seed: 4 },
    );
  });

  test("GRPO and GSPO have one gradient at ratio 1", () => {
    const logProbs = ragged([[-0.3, -1.2, -0.7], [-2.1], [-0.4, -0.9]]);
    const input = { logProbs, oldLogProbs: logProbs, advantages: Float64Array.of(0.7, -1.1, 0.4) };
    const expected = [0.7, 0.7, 0.7, -1.1, 0.4, 0.4].map((a, i) => -a / 3 / ([3, 3, 3, 1, 2, 2][i] ?? 1));
    for (const objective of [grpo(), gspo()])
      for (const [i, dLogProb] of objective.evaluate(input).gradient.entries())
        expect(dLogProb).toBeCloseTo(expected[i] ?? Number.NaN, 14);
  });

  test("dual clip with c and two-sided clip with the same cap are one function", () => {
    fc.assert(
      fc.property(samples, ({ input }) => {
        const [a, b] = [grpo({ clip, dualClip: 1.3 }).evaluate(input), grpo({ clip, maxRatio: 1.3 }).evaluate(input)];
        expect(b).toEqual(a);
      }),
      { seed: 5 },
    );
  });

  test("gmpo is gspo while nothing is clipped", () => {
    fc.assert(
      fc.property(samples, ({ input }) => {
        const wide = { low: 0.9, high: 0.9 };
        expect(gmpo({ clip: wide }).evaluate(input).loss).toBeCloseTo(gspo({ clip: wide }).evaluate(input).loss, 12);
      }),
      { seed: 6 },
    );
  });

  test("cispo never loses its gradient, clipped or not; zeroing is not clamping", () => {
    const input = { logProbs: ragged([[-1]]), oldLogProbs: ragged([[-4]]), advantages: Float64Array.of(1) };
    expect(cispo({ maxRatio: 5 }).evaluate(input).gradient[0]).toBe(-5);
    expect(grpo().evaluate(input).gradient[0]).toBe(0);
  });
});

describe("ratio units (objectives reference: message, turn, trajectory, joint)", () => {
  const items = [
    { episode: 0, agent: "a", turn: 0 },
    { episode: 0, agent: "a", turn: 1 },
    { episode: 1, agent: "a", turn: 0 },
  ];
  const input: ObjectiveInput = {
    logProbs: ragged([[-1, -1.1], [-2], [-0.4, -0.2]]),
    oldLogProbs: ragged([[-1.2, -1], [-2.3], [-0.5, -0.2]]),
    advantages: Float64Array.of(1, 1, -0.5),
  };
  const under = (unit: Parameters<typeof unitIndex>[1]): ReturnType<Objective["evaluate"]> =>
    withRatioUnits(gspo({ clip: { low: 0.9, high: 0.9 } }), unitIndex(items, unit)).evaluate(input);

  test("messages alone are the objective itself", () => {
    expect(under("message")).toEqual(gspo({ clip: { low: 0.9, high: 0.9 } }).evaluate(input));
  });
  test("message and trajectory differ once a trajectory has two messages of unequal length", () => {
    const pooled = Math.exp((0.2 - 0.1 + 0.3) / 3);
    expect(under("trajectory").loss).toBeCloseTo(-(pooled * 1 + Math.exp(0.05) * -0.5) / 2, 12);
    expect(under("trajectory").gradient[2]).toBeCloseTo(-pooled / 6, 12);
    expect(under("message").loss).not.toBeCloseTo(under("trajectory").loss, 3);
  });
});
