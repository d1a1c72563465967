import { expect, test } from "vitest";
import { logarithm } from "./logarithm.ts";
import { randomFromSeed } from "./random.ts";

test.each([
  [1, 0],
  [Math.E, 1],
  [2, Math.LN2],
  [10, Math.LN10],
  [0.1, -2.3025850929940455],
  [1 + 2 ** -30, 9.313225741817976e-10],
  [1e308, 709.1962086421661],
  [5e-324, -744.4400719213812],
  [0, -Infinity],
  [-1, Number.NaN],
  [Infinity, Infinity],
  [Number.NaN, Number.NaN],
])("the logarithm of %d", (given, value) => expect(logarithm(given)).toBe(value));

test("is within a unit in the last place of the platform's, whose bits depend on the JavaScript engine", () => {
  const random = randomFromSeed("logarithm");
  for (let i = 0; i < 20_000; i++) {
    const given = 10 ** ((random.uniform() - 0.5) * 10 ** ((i % 4) - 1));
    const value = Math.log(given);
    expect(Math.abs(logarithm(given) - value)).toBeLessThanOrEqual(2 ** -52 * Math.abs(value));
  }
});
