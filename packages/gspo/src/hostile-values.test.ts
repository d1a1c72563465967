import { LaconicError, ragged, type Objective, type ObjectiveInput } from "@laconic/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bnpo,
  cispo,
  gmpo,
  gpg,
  groupAdvantages,
  grpo,
  gspo,
  gspoToken,
  jointTreeAdvantages,
  luspo,
  magrpo,
  maremax,
  maxRl,
  opo,
  passAtK,
  rawRewards,
  reinforce,
  reinforcePlusPlus,
  remax,
  rloo,
  runningBaseline,
  sapo,
  vespo,
  withRatioUnits,
} from "./index.ts";
import { refusal } from "./testing/refusal.ts";

/** What finite numbers can be: from the smallest to the largest, and values that placeholders and masks have. */
const hostile: fc.Arbitrary<number> = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ noNaN: true, min: -50, max: 50 }),
  fc.constantFrom(0, -0, 1, -1, 1e-320, -1e-320, 1e154, -1e154, 1e300, -1e300, 1e308, -1e308, -9999, -1e30, 1e-13, 20),
);
const tame: fc.Arbitrary<number> = fc.double({ noNaN: true, min: -1000, max: 0 });
const logProb = fc.oneof({ weight: 4, arbitrary: tame }, { weight: 1, arbitrary: hostile });

/** What came of it: "finite", the values that are not, or an error of ours with its code. */
function outcome(run: () => ArrayLike<number>): string {
  try {
    const bad = Array.from(run()).filter((value) => !Number.isFinite(value));
    return bad.length === 0 ? "finite" : `returned ${bad.join(", ")}`;
  } catch (error) {
    if (!LaconicError.is(error)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

/** A refusal names a place: its number, or the tree that is empty. */
const finiteOrPlaced = /^(?:finite|(?:numeric|reward|input)_invalid: .*(?:\d|tree needs).*)$/u;
/** Of chance: a single token, and sampler and trainer agree on it. */
const finitePlacedOrBypass = /^(?:finite|(?:numeric|input)_invalid: .*\d.*|objective_refused: importance.*)$/u;

const kl = { coefficient: 0.1 } as const;
const objectives: readonly (readonly [string, Objective])[] = [
  ["gspo", gspo()],
  ["gspo, floor and k3", gspo({ minLength: 8, kl: { ...kl, estimator: "k3" } })],
  ["gspo-token", gspoToken({ minLength: 3, kl: { ...kl, estimator: "k3+", biasCorrection: true } })],
  ["grpo", grpo({ kl: { ...kl, estimator: "k2" } })],
  ["dual clip", grpo({ dualClip: 3, aggregation: "token-sum" })],
  ["reinforce", reinforce({ importance: { kind: "mask", level: "sequence", cap: 2 } })],
  ["cispo", cispo()],
  ["sapo", sapo({ offPolicyMask: 0.5 })],
  ["gmpo", gmpo({ importance: { kind: "truncate", level: "geometric", cap: 2, veto: 1e-4 } })],
  ["luspo", luspo()],
  ["vespo", vespo()],
  ["magrpo", magrpo({ kl: { ...kl, estimator: "k1+" } })],
];

const token = fc.record({
  now: logProb,
  old: logProb,
  ref: logProb,
  roll: logProb,
  mask: fc.integer({ min: 0, max: 1 }),
});
const batches: fc.Arbitrary<ObjectiveInput> = fc
  .array(fc.record({ advantage: fc.oneof(hostile, tame), tokens: fc.array(token, { maxLength: 4 }) }), { maxLength: 4 })
  .map((rows) => {
    const take = (pick: (each: (typeof rows)[0]["tokens"][0]) => number): ReturnType<typeof ragged> =>
      ragged(rows.map(({ tokens }) => tokens.map(pick)));
    return {
      logProbs: take(({ now }) => now),
      oldLogProbs: take(({ old }) => old),
      refLogProbs: take(({ ref }) => ref),
      rollLogProbs: take(({ roll }) => roll),
      mask: Uint8Array.from(rows.flatMap(({ tokens }) => tokens.map(({ mask }) => mask))),
      advantages: Float64Array.from(rows, ({ advantage }) => advantage),
    };
  });

test.each(objectives)(
  "%s: finite numbers give a finite loss and gradient, or an error that names the token",
  (_, objective) => {
    fc.assert(
      fc.property(batches, (input) => {
        const run = (): number[] => {
          const { loss, gradient } = objective.evaluate(input);
          return [loss, ...gradient];
        };
        expect(outcome(run)).toMatch(finitePlacedOrBypass);
      }),
      { seed: 1, numRuns: 400 },
    );
  },
);

const groups = fc.array(fc.record({ reward: hostile, group: fc.integer({ min: 0, max: 2 }) }), { maxLength: 7 });
type Estimator = (rewards: number[], ids: number[]) => ArrayLike<number>;
const offsetsOf = (rewards: readonly number[]): Int32Array => Int32Array.from([0, ...rewards], (_, s) => s * 3);
const estimators: readonly (readonly [string, Estimator])[] = [
  ["group", (r, g) => groupAdvantages(r, g, { scale: "group" }).advantages],
  [
    "group, clamp without ε",
    (r, g) => groupAdvantages(r, g, { scale: "group", epsilon: 0, epsilonForm: "clamp" }).advantages,
  ],
  ["batch", (r, g) => groupAdvantages(r, g, { scale: "batch", epsilon: 0 }).advantages],
  ["mean only", (r, g) => groupAdvantages(r, g, { scale: "none" }).advantages],
  ["rloo", (r, g) => rloo(r, g).advantages],
  ["raw", (r, g) => rawRewards(r, g).advantages],
  ["gpg", (r, g) => gpg(r, g).advantages],
  ["remax", (r, g) => remax(r, g, r.toReversed()).advantages],
  ["maremax", (r, g) => maremax(r, g).advantages],
  ["maxrl", (r, g) => maxRl(r, g, 0).advantages],
  ["opo", (r, g) => opo(r, g, r.map(Math.abs)).advantages],
  ["pass@k", (r, g) => passAtK(r, g, { scaled: true }).advantages],
  ["bnpo", (r, g) => bnpo(r, g, { a: 300, b: 0.1 }).advantages],
  ["reinforce++", (r, g) => reinforcePlusPlus(r, g, offsetsOf(r))],
  ["reinforce++, baseline", (r, g) => reinforcePlusPlus(r, g, offsetsOf(r), { baseline: true, discount: 0.1 })],
  [
    "running baseline",
    (r) => {
      const { advantages, state } = runningBaseline(
        { a: 1 },
        r,
        r.map((_, i) => (i % 2 === 0 ? "a" : "constructor")),
      );
      return [...advantages, ...Object.values(state)];
    },
  ],
  [
    "joint tree",
    (r) => {
      const leaf = { actions: r.map((reward, i) => ({ replies: [i], reward })) };
      const root = { actions: r.map((reward, i) => ({ replies: [i], reward, next: leaf })) };
      return jointTreeAdvantages(root, 1).flatMap((credit) => [credit.advantage, credit.return]);
    },
  ],
];

test.each(estimators)("%s: finite rewards give finite advantages, or an error that names the row", (_, estimate) => {
  fc.assert(
    fc.property(groups, (rows) => {
      const [rewards, ids] = [rows.map(({ reward }) => reward), rows.map(({ group }) => group)];
      expect(outcome(() => estimate(rewards, ids))).toMatch(finiteOrPlaced);
    }),
    { seed: 2, numRuns: 400 },
  );
});

describe("rewards whose squares overflow", () => {
  test.each(estimators.filter(([name]) => name !== "joint tree"))(
    "%s: 1e300 is refused with its row",
    (_, estimate) => {
      const { code, message } = refusal(() => estimate([0, 1e300, 1], [0, 0, 0]));
      expect([code, message]).toEqual(["reward_invalid", expect.stringContaining("reward 1 is 1e+300")]);
    },
  );
  test("builds a joint tree with its node and action", () => {
    const actions = [0, 1e300].map((reward, i) => ({ replies: [i], reward }));
    expect(refusal(() => jointTreeAdvantages({ actions })).message).toContain(
      "the root: action 1 has the reward 1e+300",
    );
  });
  test("1e90 is large, and has the z-scores of 1", () => {
    const z = (unit: number): number[] => [
      ...groupAdvantages([0, unit, unit, 0.5 * unit], [0, 0, 0, 0], { scale: "group", epsilon: 0 }).advantages,
    ];
    expect(z(1e90)).toBeAllclose(z(1), { relative: 1e-12 });
    expect(z(1)[1]).toBeGreaterThan(0.7);
  });
});

describe("log-probs that no token has", () => {
  const at = (name: string, value: number): (() => unknown) => {
    const logProbs = ragged([[-1], [], [-1, -2]]);
    const base = { logProbs, oldLogProbs: logProbs, refLogProbs: logProbs, rollLogProbs: ragged([[-2], [], [-2, -3]]) };
    const changed = { ...base, [name]: ragged([[-1], [], [-1, value]]), advantages: Float64Array.of(1, 1, 1) };
    return () => gspo().evaluate(changed);
  };
  test.each([0.01, 0.5, 1e300, -1001, -9999, -1e30, -1e308, -Infinity, Infinity, NaN])(
    "a sampler's value %d is rejected with its token",
    (value) => {
      const { code, message } = refusal(at("rollLogProbs", value));
      expect(code).toBe("numeric_invalid");
      expect(message).toContain(`rollLogProbs: sequence 2, token 1 is ${value}`);
    },
  );
  test.each([1e-4, 0, -0, -1e-320, -44, -999])("a sampler's value %d is a log-prob, rounding included", (value) => {
    expect(at("rollLogProbs", value)).not.toThrow();
  });
  test.each(["logProbs", "oldLogProbs", "refLogProbs"])(
    "%s: rejects a masked logit and accepts an unlikely token",
    (name) => {
      for (const value of [-1e9, -1e30, -1e308, -Infinity])
        expect(refusal(at(name, value)).message).toContain(`${name}: sequence 2, token 1 is ${value}`);
      expect(at(name, -9999)).not.toThrow();
    },
  );
});

test("ratio units take the caller's sequence, not the unit", () => {
  const logProbs = ragged([[-1], [-1], [-1, -1e30]]);
  const input = { logProbs, oldLogProbs: ragged([[-1], [-1], [-1, -1]]), advantages: Float64Array.of(1, 1, 1) };
  const { message } = refusal(() => withRatioUnits(gspo(), Int32Array.of(0, 0, 0)).evaluate(input));
  expect(message).toContain("sequence 2, token 1 is -1e+30");
});

test("a running baseline of an agent called like a property of every object starts at 0", () => {
  const first = runningBaseline({}, [1, 1], ["constructor", "__proto__"]);
  expect([...first.advantages]).toEqual([1, 1]);
  expect(Object.keys(first.state)).toEqual(["constructor", "__proto__"]);
  expect([...runningBaseline(first.state, [1, 1], ["constructor", "__proto__"]).advantages]).toEqual([0.95, 0.95]);
  expect(refusal(() => runningBaseline({ a: NaN }, [1], ["a"])).message).toContain('agent "a" is NaN');
});

test.each([
  () => gspo({ minLength: Infinity }),
  () => gspoToken({ minLength: Infinity }),
  () => sapo({ positiveTemperature: Infinity }),
  () => grpo({ aggregation: "seq-mean-token-sum-norm", constantLength: Infinity }),
])("an infinite setting, which would take every gradient away, is refused: %#", (make) => {
  expect(refusal(make).code).toBe("config_invalid");
});
