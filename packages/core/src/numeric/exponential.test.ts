import { expect, test } from "vitest";
import { exponentialMinusOne, exponential, logarithm } from "./exponential.ts";
import { randomFromSeed } from "./random.ts";

const functions = { exponential, exponentialMinusOne, logarithm } as const;
const values: Readonly<Record<keyof typeof functions, readonly (readonly [input: number, output: number])[]>> = {
  exponential: [
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
  ],
  exponentialMinusOne: [
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
  ],
  logarithm: [
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
  ],
};

const names = Object.keys(functions) as (keyof typeof functions)[];

test.each(names.flatMap((name) => values[name].map((pair) => [name, ...pair] as const)))(
  "%s(%d) is %d to the bit",
  (name, input, output) => expect(functions[name](input)).toBe(output),
);

test.each([
  ["exponential", Math.exp, (x: number, i: number) => x * 10 ** ((i % 5) - 1)],
  ["exponentialMinusOne", Math.expm1, (x: number, i: number) => x * 10 ** ((i % 6) - 3)],
  ["logarithm", Math.log, (x: number, i: number) => 10 ** (x * 10 ** ((i % 4) - 1))],
] as const)("%s is within a unit in the last place of the platform's function", (name, platform, spread) => {
  const random = randomFromSeed(name);
  for (let i = 0; i < 4_000; i++) {
    const input = spread(random.uniform() - 0.5, i);
    const expected = platform(input);
    expect(Math.abs(functions[name](input) - expected)).toBeLessThanOrEqual(2 ** -52 * Math.abs(expected));
  }
});
