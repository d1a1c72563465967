import fc from "fast-check";
import { expect, test } from "vitest";
import { frontierOf, hypervolume, tokensAtAccuracy } from "./frontier.ts";

const points = [
  { tokens: 40, accuracy: 0.9 },
  { tokens: 10, accuracy: 0.5 },
  { tokens: 20, accuracy: 0.6 },
  { tokens: 20, accuracy: 0.8 },
  { tokens: 30, accuracy: 0.7 }, // dearer and worse than 20
  { tokens: 45, accuracy: 0.9 }, // dearer than 40, and no better
  { tokens: Number.NaN, accuracy: 1 },
];

test("the frontier has the undominated methods", () => {
  expect(frontierOf(points).map(({ tokens }) => tokens)).toEqual([10, 20, 40]);
  expect(frontierOf([])).toEqual([]);
});

test("the area equals a calculation by hand: 0.5 x 10 + 0.8 x 20 + 0.9 x 10 of 50", () => {
  expect(hypervolume(points, 50)).toBeCloseTo((5 + 16 + 9) / 50, 12);
  expect(hypervolume(points, 20)).toBeCloseTo(5 / 20, 12);
  expect(hypervolume([{ tokens: 0, accuracy: 1 }], 50)).toBe(1);
});

test("cost at equal accuracy, between two points and beyond the best", () => {
  expect(tokensAtAccuracy(points, 0.8)).toBe(20);
  expect(tokensAtAccuracy(points, 0.65)).toBeCloseTo(15, 12);
  expect(tokensAtAccuracy(points, 0.1)).toBe(10);
  expect([0.9, 0.95].map((accuracy) => tokensAtAccuracy(points, accuracy))).toEqual([40, null]);
});

test("a further point never shrinks the area, and a dominated one changes nothing", () => {
  const point = fc.record({
    tokens: fc.integer({ min: 0, max: 100 }),
    accuracy: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(point), point, (others, added) => {
      const [before, after] = [hypervolume(others, 100), hypervolume([...others, added], 100)];
      expect(after).toBeGreaterThanOrEqual(before - 1e-12);
      const beaten = others.some(({ tokens, accuracy }) => tokens <= added.tokens && accuracy >= added.accuracy);
      expect(after - before).toBeLessThanOrEqual(beaten ? 1e-12 : 1);
    }),
  );
});
