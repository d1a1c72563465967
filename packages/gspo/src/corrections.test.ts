import { ragged, type Objective, type ObjectiveInput, type Ragged } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { withRatioUnits, withImportance, withKl, withOffPolicyMask, type ImportanceOptions } from "./index.ts";
import { objectiveNames, objectivePreset } from "./presets/index.ts";

const input: ObjectiveInput = {
  logProbs: ragged([[-1.1, -0.7, -2], [-2.4], [-0.2, -3], [-1, -1.5]]),
  oldLogProbs: ragged([[-1.2, -0.7, -1.9], [-1.1], [-0.3, -2.8], [-1, -1.4]]),
  rollLogProbs: ragged([[-1.4, -0.5, -1.7], [-1.9], [-0.6, -1.4], [-1.2, -1.3]]),
  refLogProbs: ragged([[-1, -1, -1], [-2], [-0.5, -2.5], [-1.1, -1.2]]),
  advantages: Float64Array.of(1, -0.5, -2, 0.7),
};

const masked: ObjectiveInput = { ...input, mask: Uint8Array.of(0, 1, 1, 1, 1, 0, 0, 0) };

function expectSame(objective: Objective, expected: Objective, objectiveInput = input): void {
  const [a, b] = [objective.evaluate(objectiveInput), expected.evaluate(objectiveInput)];
  expect(a.loss).toBeCloseTo(b.loss, 12);
  a.gradient.forEach((value, t) => expect(value).toBeCloseTo(b.gradient[t] as number, 12));
  for (const key of ["sampling/ratio", "sampling/ess", "off_policy/dropped", "kl"])
    expect(a.diagnostics[key]).toEqual(b.diagnostics[key]);
}

const importances: readonly ImportanceOptions[] = [
  { kind: "truncate", level: "geometric", cap: 1.5 },
  { kind: "mask", level: "sequence", cap: 2, veto: 0.3 },
  { kind: "truncate", level: "token", cap: 1.2 },
];
const refusesImportance = new Set(["cispo", "vespo"]);
const bySequence = new Set(["gspo", "gspo-token", "gmpo", "luspo", "magrpo"]);

describe.each(objectiveNames)("%s", (name) => {
  const base = name === "dr-grpo" ? { constantLength: 4 } : {};
  const plain = objectivePreset(name, base);

  // A ratio of a whole sequence takes no weight per token.
  const takes = importances.filter(
    ({ level }) => !refusesImportance.has(name) && (level !== "token" || !bySequence.has(name)),
  );
  for (const importance of takes)
    test(`importance ${JSON.stringify(importance)} equals the option of the same meaning`, () => {
      for (const objectiveInput of [input, masked])
        expectSame(withImportance(plain, importance), objectivePreset(name, { ...base, importance }), objectiveInput);
    });

  test("without what drifted away is what its own option makes of it", () => {
    const [objective, expected] = [
      withOffPolicyMask(plain, 0.5),
      objectivePreset(name, { ...base, offPolicyMask: 0.5 }),
    ];
    expectSame(objective, expected);
    expectSame(objective, expected, masked);
    expect(objective.evaluate(input).diagnostics["off_policy/dropped"]?.sum).toBe(1);
  });
});

test.each(["withImportance", "its own option"] as const)("%s corrects where the sampler is far enough away", (how) => {
  const make = (gapAbove?: number): Objective => {
    const importance = {
      kind: "truncate",
      level: "geometric",
      cap: 1.5,
      ...(gapAbove !== undefined && { gapAbove }),
    } as const;
    return how === "withImportance"
      ? withImportance(objectivePreset("gspo"), importance)
      : objectivePreset("gspo", { importance });
  };
  // |old - roll| is 0.2 0.2 0.2, 0.8, 0.3 1.4, 0.2 0.1: 3.4 over 8 tokens.
  expectSame(make(0.424), make());
  const left = make(0.426).evaluate(input);
  expect(left.loss).toBeCloseTo(objectivePreset("gspo").evaluate(input).loss, 12);
  expect(left.diagnostics).not.toHaveProperty("sampling/ess");
  expect(make(0.1).settings).toMatchObject({ importanceGapAbove: 0.1 });
  expect(() => make(0)).toThrow(/gapAbove/u);
  // A sampler in step is no bypass to be refused.
  const inStep = make(0.01).evaluate({ ...input, rollLogProbs: input.oldLogProbs });
  expect(inStep.loss).toBeCloseTo(left.loss, 12);
});

test.each([
  [0.424, true],
  [0.426, false],
])("a gap above %d decides for all micro-batches of a batch alike", (gapAbove, weighs) => {
  const importance = { kind: "truncate", level: "geometric", cap: 1.5, gapAbove } as const;
  const objective = objectivePreset("gspo", { importance });
  const whole = objective.evaluate(input);
  expect("sampling/ess" in whole.diagnostics).toBe(weighs);
  const { offsets, values } = input.logProbs;
  // The mean of the first three tokens is 0.2, of the others more: apart they would be judged otherwise.
  const totals = { sequences: offsets.length - 1, tokens: values.length, samplerGap: 0.425 };
  const part = (from: number, to: number): number => {
    const [start, end] = [offsets[from] as number, offsets[to] as number];
    const cut = ({ values: all }: Ragged): Ragged => ({
      values: all.slice(start, end),
      offsets: offsets.slice(from, to + 1).map((offset) => offset - start),
    });
    const { logProbs, oldLogProbs, rollLogProbs, refLogProbs, advantages } = input;
    return objective.evaluate({
      logProbs: cut(logProbs),
      oldLogProbs: cut(oldLogProbs),
      rollLogProbs: cut(rollLogProbs as Ragged),
      ...(refLogProbs && { refLogProbs: cut(refLogProbs) }),
      advantages: advantages.slice(from, to),
      totals,
    }).loss;
  };
  expect(part(0, 1) + part(1, totals.sequences)).toBeCloseTo(whole.loss, 12);
});

test("a divergence is added in the weights that are named", () => {
  const kl = { estimator: "k3+", coefficient: 0.1 } as const;
  expectSame(withKl(objectivePreset("gspo"), kl), objectivePreset("gspo", { kl }));
  expectSame(withKl(objectivePreset("dapo"), kl, "token-mean"), objectivePreset("dapo", { kl }));
});

test("corrections go on any objective, one over the other, and say so", () => {
  const objective: Objective = {
    name: "own",
    settings: {},
    evaluate: ({ logProbs, advantages }) => ({
      loss: 0,
      gradient: Float64Array.from(
        logProbs.values,
        (_, t) => -(advantages[logProbs.offsets.findLastIndex((o) => o <= t)] as number),
      ),
      diagnostics: {},
    }),
  };
  const corrected = withKl(withImportance(withOffPolicyMask(objective, 0.5), importances[0] as ImportanceOptions), {
    estimator: "k2",
    coefficient: 0.5,
  });
  expect(corrected.settings).toMatchObject({ offPolicyMask: 0.5, importance: "truncate", kl: "k2" });
  const { gradient, diagnostics } = corrected.evaluate({ ...input, refLogProbs: input.logProbs });
  expect(gradient[4]).toBeCloseTo(0, 12); // the third sequence drifted away
  expect(gradient[0]).toBeCloseTo(-Math.exp((0.2 - 0.2 - 0.2) / 3), 12);
  expect(Object.keys(diagnostics)).toEqual(expect.arrayContaining(["off_policy/dropped", "sampling/ratio", "kl"]));
});

// What TRL 1.13.0 drops, by its `get_off_policy_mask` in float64; where the sampler is unknown it is given the old log-probs.
test.each([
  { limit: 0.02, sampler: [1, 2], old: [1, 2] },
  { limit: 0.3, sampler: [1, 2], old: [1] },
  { limit: 0.55, sampler: [2], old: [1] },
  { limit: 0.7, sampler: [], old: [1] },
  { limit: 1.4, sampler: [], old: [] },
])("an off-policy mask of $limit drops the tokens that TRL drops", ({ limit, sampler, old }) => {
  const { rollLogProbs: _, ...unknownSampler } = input;
  const objective = objectivePreset("grpo", { offPolicyMask: limit });
  const plain = objectivePreset("grpo");
  for (const [given, dropped] of [
    [input, sampler],
    [unknownSampler, old],
  ] as const) {
    const { offsets } = given.logProbs;
    const expected = Float64Array.from(plain.evaluate(given).gradient);
    for (const s of dropped) expected.fill(0, offsets[s], offsets[s + 1]);
    const { gradient, diagnostics } = objective.evaluate(given);
    expect(gradient).toEqual(expected);
    expect(diagnostics["off_policy/dropped"]?.sum).toBe(dropped.length);
  }
});

test("a KL term to another policy is the one to the reference, with that policy in its place", () => {
  const to = { policy: "peer", at: "now" } as const;
  const kl = { estimator: "k3", coefficient: 0.2 } as const;
  const { refLogProbs, ...rest } = input;
  const peer = { ...rest, policyLogProbs: { "peer@now": refLogProbs as Ragged } };
  for (const make of [
    (options: typeof kl) => withKl(objectivePreset("grpo"), options),
    (options: typeof kl) => objectivePreset("grpo", { kl: options }),
  ]) {
    const [objective, expected] = [make({ ...kl, to } as typeof kl), make(kl)];
    expect(objective.evaluate(peer)).toEqual(expected.evaluate(input));
    expect(objective.needs).toEqual([to]);
    expect(objective.settings).toEqual({ ...expected.settings, klTo: "peer@now" });
    expect(() => objective.evaluate(input)).toThrow(/needs policyLogProbs\["peer@now"\]/u);
  }
  const joined = withRatioUnits(objectivePreset("grpo", { kl: { ...kl, to } }), Int32Array.of(0, 1, 1, 2));
  const shared = Float64Array.of(1, -2, -2, 0.7);
  expect(joined.evaluate({ ...peer, advantages: shared }).gradient).toEqual(
    withRatioUnits(objectivePreset("grpo", { kl }), Int32Array.of(0, 1, 1, 2)).evaluate({
      ...input,
      advantages: shared,
    }).gradient,
  );
});
