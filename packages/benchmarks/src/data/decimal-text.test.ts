import fc from "fast-check";
import { Fraction } from "fraction.js";
import { expect, test } from "vitest";
import { decimalText } from "./decimal-text.ts";
import { plainNumber } from "./rows/fields.ts";
import rows from "./decimal-text.cases.json" with { type: "json" };

test.each(rows as unknown as [string, string, string | null][])(
  "%s has the digits %s, plainly %s",
  (written, digits, plain) => {
    expect([decimalText(written), plainNumber(written)]).toEqual([digits, plain]);
  },
);

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
