import type { Decimal } from "decimal.js";
import { floatValue } from "../numbers/float-value.ts";
import { proportionalModulo } from "../numbers/modular-value.ts";
import type { Expression } from "../numbers/expression.ts";
import { realValue } from "../numbers/real-value.ts";
import { samplePoint } from "../numbers/sample-point.ts";

/**
 * The constant by which one expression is the other, found at three points. Rational expressions are compared modulo
 * large primes, others that are real to thirty digits.
 * @returns null where there is none
 */
export function ratioOf(a: Expression | null, b: Expression | null): number | null {
  if (a === null || b === null) return null;
  const known = proportionalModulo(a, b);
  if (known === false) return null;
  let before: number | null = null;
  let exact: Decimal | null = null;
  let ratio: number | null = null;
  for (const number of [5, 6, 7]) {
    const point = samplePoint(number);
    const [x, y] = [realValue(a, point), realValue(b, point)];
    if (x && y && !y.value.isZero()) {
      const quotient = x.value.div(y.value);
      if (known) return quotient.toNumber();
      // Each value is known to forty digits; the last ones of a quotient differ by rounding.
      if (exact && quotient.sub(exact).abs().greaterThan(exact.abs().mul("1e-25"))) return null;
      exact = quotient;
    }
    const top = floatValue(a, point);
    // Two constants always have a ratio; it says nothing.
    if (top.re === before) return null;
    before = top.re;
    const value = top.div(floatValue(b, point));
    if (!Number.isFinite(value.re) || Math.abs(value.im) > 1e-9) return null;
    if (ratio !== null && Math.abs(value.re - ratio) > 1e-9 * Math.abs(ratio)) return null;
    ratio = value.re;
  }
  return ratio;
}
