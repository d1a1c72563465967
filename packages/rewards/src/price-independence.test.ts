import type { RewardTerms } from "@laconic/core";
import { expect, test } from "vitest";
import { priceIndependence, rewardTerms } from "./index.ts";

const price = (task: number, tokens: number, tokenPrice: number): RewardTerms =>
  rewardTerms({ task, costs: { tokens } }, { tokens: tokenPrice });
const allRight = [100, 200, 300, 400];

/** Eq. 2 with TRL's constant, sample std. */
function groupAdvantage(terms: readonly RewardTerms[]): number[] {
  const rewards = terms.map((term) => (term["task"] as number) + (term["tokens"] as number));
  const mean = rewards.reduce((sum, value) => sum + value, 0) / rewards.length;
  const std = Math.sqrt(rewards.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (rewards.length - 1));
  return rewards.map((value) => (value - mean) / (std + 1e-4));
}

test.each([
  [1e-6, 0.655],
  [1e-5, 1.078],
  [1e-4, 1.153],
  [1e-2, 1.162],
])("the trap itself: at price %d four right answers still get advantage %d", (tokenPrice, expected) => {
  const terms = allRight.map((tokens) => price(1, tokens, tokenPrice));
  expect(groupAdvantage(terms)[0]).toBeCloseTo(expected, 3);
  expect(priceIndependence(terms, [0, 0, 0, 0])).toEqual({ groups: 1, independent: 1, share: 1, dominates: true });
});

test("a mixed group heeds the price", () => {
  const terms = allRight.map((tokens, i) => price(i % 2, tokens, 0.001));
  expect(priceIndependence(terms, [0, 0, 0, 0])).toEqual({ groups: 1, independent: 0, share: 0, dominates: false });
});

test("half of the groups do not dominate, two of three do", () => {
  const mixed = [price(1, 5, 0.1), price(0, 9, 0.1)];
  const blind = [price(1, 5, 0.1), price(1, 9, 0.1)];
  expect(priceIndependence([...mixed, ...blind], [0, 0, 1, 1])).toMatchObject({ share: 0.5, dominates: false });
  expect(priceIndependence([...mixed, ...blind, ...blind], [0, 0, 1, 1, 2, 2])).toMatchObject({
    independent: 2,
    groups: 3,
    dominates: true,
  });
});

test("another priced term that differs makes the ratio of prices matter", () => {
  const terms = [
    { task: 1, tokens: -0.5, turns: -0.1 },
    { task: 1, tokens: -0.9, turns: -0.2 },
  ];
  expect(priceIndependence(terms, [0, 0]).independent).toBe(0);
});

test("inapplicable episodes are skipped, and a missing term or group is rejected", () => {
  const terms = [price(1, 5, 0.1), price(1, 9, 0.1), price(NaN, 1, 0.1)];
  expect(priceIndependence(terms, [0, 0, 0]).independent).toBe(1);
  expect(() => priceIndependence([{ task: 1 }], [0])).toFailWith("input_invalid", { row: 0, term: "tokens" });
  expect(() => priceIndependence([{ task: 1, tokens: 0 }], [])).toFailWith("input_invalid");
});
