import { expect, test } from "vitest";
import { exponential } from "./exponential.ts";
import { randomFromSeed } from "./random.ts";

test.each([
  [0, 1],
  [1, Math.E],
  [-1, 0.36787944117144233],
  [0.1, 1.1051709180756477],
  [-0.5, 0.6065306597126334],
  [20, 485165195.4097903],
  [709, 8.218407461554972e307],
  [-745, 5e-324],
  [1e-9, 1.000000001],
  [710, Infinity],
  [-746, 0],
  [Infinity, Infinity],
  [-Infinity, 0],
  [Number.NaN, Number.NaN],
])("e to the %d", (power, value) => expect(exponential(power)).toBe(value));

test("is within a unit in the last place of the platform's, whose bits depend on the JavaScript engine", () => {
  const random = randomFromSeed("powers");
  for (let i = 0; i < 20_000; i++) {
    const power = (random.uniform() - 0.5) * 10 ** ((i % 5) - 1);
    const value = Math.exp(power);
    expect(Math.abs(exponential(power) - value)).toBeLessThanOrEqual(2 ** -52 * value);
  }
});
