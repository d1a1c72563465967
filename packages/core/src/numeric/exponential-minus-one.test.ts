import { expect, test } from "vitest";
import { exponentialMinusOne } from "./exponential-minus-one.ts";
import { randomFromSeed } from "./random.ts";

test.each([
  [0, 0],
  [-0, -0],
  [1e-300, 1e-300],
  [1e-9, 1.0000000005000001e-9],
  [0.1, 0.10517091807564763],
  [-0.5, -0.3934693402873666],
  [0.5, 0.6487212707001282],
  [1, 1.718281828459045],
  [-3, -0.950212931632136],
  [20, 485165194.4097903],
  [-50, -1],
  [709.7, 1.6549840276802644e308],
  [710, Infinity],
  [-Infinity, -1],
  [Number.NaN, Number.NaN],
])("e to the %d, less 1", (given, value) => expect(exponentialMinusOne(given)).toBe(value));

test("is within a unit in the last place of the platform's, whose bits depend on the JavaScript engine", () => {
  const random = randomFromSeed("exponential-minus-one");
  for (let i = 0; i < 20_000; i++) {
    const given = (random.uniform() - 0.5) * 10 ** ((i % 6) - 3);
    const value = Math.expm1(given);
    expect(Math.abs(exponentialMinusOne(given) - value)).toBeLessThanOrEqual(2 ** -52 * Math.abs(value));
  }
});
