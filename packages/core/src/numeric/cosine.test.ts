import { describe, expect, test } from "vitest";
import { cosine, sine } from "./cosine.ts";
import { randomFromSeed } from "./random.ts";

/** Node 20's; all but the cosine of 1000 are the nearest doubles (Python, mpmath, 60 digits). */
const golden: readonly (readonly [angle: number, cosine: number, sine: number])[] = [
  [0.25, 0.9689124217106447, 0.24740395925452294],
  [0.5, 0.8775825618903728, 0.479425538604203],
  [1, 0.5403023058681398, 0.8414709848078965],
  [2, -0.4161468365471424, 0.9092974268256817],
  [3, -0.9899924966004454, 0.1411200080598672],
  [10, -0.8390715290764524, -0.5440211108893698],
  [1000, 0.562379076290703, 0.8268795405320025],
  [131071, -0.8179834993879491, -0.5752416837547893],
];

describe("cosine and sine of our own", () => {
  test.each(golden)("of %d", (angle, cos, sin) => {
    expect(cosine(angle)).toBe(cos);
    expect(cosine(-angle)).toBe(cos);
    expect(sine(angle)).toBe(sin);
    expect(sine(-angle)).toBe(-sin);
  });

  test("are within a unit in the last place of the platform's, whose bits depend on the JavaScript engine", () => {
    const random = randomFromSeed("angles");
    for (let i = 0; i < 4_000; i++) {
      const angle = (random.uniform() - 0.5) * 10 ** (1 + (i % 5));
      const unit = 2 ** -53;
      expect(Math.abs(cosine(angle) - Math.cos(angle))).toBeLessThanOrEqual(2 * unit);
      expect(Math.abs(sine(angle) - Math.sin(angle))).toBeLessThanOrEqual(2 * unit);
    }
  });

  test("are zero, one and tiny where they should be", () => {
    expect([cosine(0), sine(0), cosine(1e-9), sine(1e-9)]).toEqual([1, 0, 1, 1e-9]);
    expect(sine(-0)).toBe(-0);
    // The double next to pi/2 is off by this much.
    expect(cosine(Math.PI / 2)).toBe(6.123233995736766e-17);
    expect(sine(Math.PI)).toBe(1.2246467991473532e-16);
  });

  test("refuse what cannot be reduced exactly", () => {
    for (const angle of [Number.NaN, Infinity, -Infinity, 1e7])
      for (const wave of [cosine, sine]) expect(() => wave(angle)).toFailWith("input_invalid");
  });
});
