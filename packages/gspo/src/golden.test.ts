import { statisticMean } from "@laconic/core";
import { describe, expect, test } from "vitest";
import {
  gmpo,
  groupAdvantageConventions,
  groupAdvantages,
  grpo,
  gspo,
  cispo,
  klValue,
  luspo,
  magrpo,
  maremax,
  maxRl,
  opo,
  reinforce,
  rloo,
  sapo,
  vespo,
} from "./index.ts";
import { goldenInput, goldenRewards } from "./testing/index.ts";

const oneGroup = [0, 0, 0, 0];
const near = (value: number, expected: number): void =>
  expect(Math.abs(value - expected)).toBeLessThanOrEqual(1e-12 * Math.max(1e-3, Math.abs(expected)));
const nearAll = (values: ArrayLike<number>, expected: readonly number[]): void => {
  expect(values.length).toBe(expected.length);
  expected.forEach((value, i) => near(values[i] as number, value));
};

describe("golden losses, float64 from an independent computation", () => {
  const clip = { low: 0.2, high: 0.28 };
  test.each([
    ["grpo", grpo({ clip }), -0.014505056744638273],
    ["dapo", grpo({ clip, aggregation: "token-mean" }), -0.13543527236894815],
    ["grpo summed", grpo({ clip, aggregation: "seq-mean-token-sum" }), -0.33858818092237036],
    ["dr-grpo", grpo({ clip, aggregation: "seq-mean-token-sum-norm", constantLength: 8 }), -0.042323522615296295],
    ["gspo", gspo(), 0.003363023494917749],
    ["cispo", cispo(), 0.13136384649430394],
    ["luspo", luspo(), -0.3000291564890633],
    ["luspo, gspo's clip", luspo({ clip: { low: 3e-4, high: 4e-4 } }), -0.2989072814890633],
    ["gmpo 0.4", gmpo(), -0.014599421828861137],
    ["gmpo 0.04", gmpo({ clip: { low: 0.04, high: 0.04 } }), 0.0012018292284855202],
    ["sapo", sapo(), -0.03231889182160479],
    ["vespo", vespo(), 0.145451787774054],
    ["magrpo", magrpo(), 0.312496875],
    ["reinforce", reinforce(), 0.12499875],
  ] as const)("%s", (_, objective, loss) => {
    near(objective.evaluate(goldenInput).loss, loss);
  });

  test("gspo's gradient is equal on all tokens of a sequence and 0 where clipped", () => {
    const { gradient, diagnostics } = gspo().evaluate(goldenInput);
    const third = -0.02257486916533176;
    nearAll(gradient, [0, 0, 0, 0, 0, third, third, third, third, 0.031246875156244785]);
    expect(statisticMean(diagnostics["clip_ratio/high"] as never)).toBe(0.25);
    expect(statisticMean(diagnostics["clip_ratio/low"] as never)).toBe(0.25);
  });
});

describe("golden advantages", () => {
  const by = (name: keyof typeof groupAdvantageConventions): Float64Array =>
    groupAdvantages(goldenRewards, oneGroup, groupAdvantageConventions[name]).advantages;
  test("trl", () =>
    nearAll(by("trl"), [0.7831858496123865, -1.3053097493539774, 0.7831858496123865, -0.2610619498707955]));
  test("verl", () =>
    nearAll(by("verl"), [0.7833478154404222, -1.3055796924007037, 0.7833478154404222, -0.26111593848014075]));
  test("comlrl", () =>
    nearAll(by("comlrl"), [0.9045340337332909, -1.507556722888818, 0.9045340337332909, -0.30151134457776363]));
  test("dr-grpo, magrpo", () => nearAll(by("dr-grpo"), [0.375, -0.625, 0.375, -0.125]));
  test("rloo", () =>
    nearAll(rloo(goldenRewards, oneGroup).advantages, [0.5, -0.8333333333333334, 0.5, -0.16666666666666663]));
  test("maremax", () => nearAll(maremax(goldenRewards, oneGroup).advantages, [0, -1, 0, -0.5]));
  test("rejects maxrl without its constant", () =>
    nearAll(maxRl(goldenRewards, oneGroup, 0).advantages, [0.6, -1, 0.6, -0.2]));
  test("opo: the length-weighted baseline is 0.75", () =>
    nearAll(opo(goldenRewards, oneGroup, [3, 2, 4, 1]).advantages, [0.25, -0.75, 0.25, -0.25]));
});

test.each([
  ["k1", 0.01499000000000002],
  ["k2", 0.0023740004999999974],
  ["k3", 0.0023567229544636747],
] as const)("golden numbers agree: %s, token mean", (estimator, expected) => {
  const { logProbs, refLogProbs } = goldenInput;
  const values = logProbs.values.map((value, t) => klValue(estimator, value - (refLogProbs.values[t] as number)));
  near(values.reduce((sum, value) => sum + value, 0) / values.length, expected);
});
