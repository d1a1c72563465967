import { expect, test } from "vitest";
import { wilsonInterval } from "./wilson-interval.ts";

const z = 1.959963984540054;

test("Wilson's interval ends where a true proportion would be z standard errors off", () => {
  for (const [right, n] of [
    [5, 10],
    [1, 50],
    [7.5, 30],
    [199, 200],
  ] as const)
    for (const p of wilsonInterval(right, n))
      expect(Math.abs(right / n - p)).toBeCloseTo(z * Math.sqrt((p * (1 - p)) / n), 12);
  // The textbook's 5 of 10.
  expect(wilsonInterval(5, 10)).toBeAllclose([0.2366, 0.7634], { absolute: 1e-4 });
});

test("without a success, without a failure, without a trial", () => {
  const edge = (z * z) / (10 + z * z); // 0.2775
  expect(wilsonInterval(0, 10)).toBeAllclose([0, edge], { absolute: 1e-12 });
  expect(wilsonInterval(10, 10)).toBeAllclose([1 - edge, 1], { absolute: 1e-12 });
  expect(wilsonInterval(0, 0)).toEqual([0, 1]);
});
