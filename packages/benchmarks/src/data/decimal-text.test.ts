import fc from "fast-check";
import { Fraction } from "fraction.js";
import { expect, test } from "vitest";
import { decimalText } from "./decimal-text.ts";
import { plainNumber } from "./rows/fields.ts";

test.each([
  ["1e21", "1000000000000000000000", "1000000000000000000000"],
  ["+1.50E+1", "15", "15"],
  ["1.50e-3", "0.00150", "0.0015"],
  ["0.10", "0.10", "0.1"],
  ["-018.0", "-018.0", "-18"],
  [".5", ".5", "0.5"],
  ["-0", "-0", "0"],
  ["9007199254740993", "9007199254740993", "9007199254740993"],
  ["1e401", null, null],
  ["1e", null, null],
  [".", null, null],
  ["1/2", null, null],
])("%s has the digits %s, plainly %s", (written, digits, plain) => {
  expect([decimalText(written), plainNumber(written)]).toEqual([digits, plain]);
});

test("any number keeps its value", () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^-?(?:\d{1,20}\.?\d{0,20}|\.\d{1,9})$/u),
      fc.integer({ min: -30, max: 30 }),
      (number, exponent) => {
        const value = new Fraction(number.replace(/\.$/u, "")).mul(new Fraction(10).pow(exponent));
        for (const read of [decimalText, plainNumber])
          expect(new Fraction((read(`${number}e${exponent}`) as string).replace(/\.$/u, "")).equals(value)).toBe(true);
      },
    ),
    { seed: 3, numRuns: 1000 },
  );
});
