import { exactValue } from "../numbers/exact-value.ts";
import { namesOf, type Expression } from "../numbers/expression.ts";
import { floatValue } from "../numbers/float-value.ts";
import { realValue } from "../numbers/real-value.ts";
import { samplePoint, wholePoint } from "../numbers/sample-point.ts";
import { compareExpressions } from "./compare-expressions.ts";

/** A constant, and the decimals to which a multiple by it is compared; null where it is exact. */
interface Ratio {
  readonly factor: Expression;
  readonly value: number;
  readonly digits: number | null;
}

/**
 * The constant by which one expression is the other: it is calculated at one point and compared at others.
 * @returns null where there is none, and of two constants
 */
export function ratioOf(a: Expression | null, b: Expression | null): number | null {
  if (a === null || b === null || namesOf(a).length === 0) return null;
  const ratio = ratioAtPoint(a, b);
  if (!ratio || ratio.value === 0 || !Number.isFinite(ratio.value)) return null;
  const { factor, value, digits } = ratio;
  const precision = { digits: digits ?? 0, tolerance: null };
  return compareExpressions(a, ["Multiply", factor, b], digits !== null, precision).equal ? value : null;
}

function ratioAtPoint(a: Expression, b: Expression): Ratio | null {
  const [x, y] = [exactValue(a, wholePoint(7)), exactValue(b, wholePoint(7))];
  if (x && y) {
    const { s, n, d } = y.equals(0) ? y : x.div(y);
    const factor: Expression = ["Divide", { num: String(s * n) }, { num: String(d) }];
    return { factor, value: (Number(s) * Number(n)) / Number(d), digits: null };
  }
  const point = samplePoint(7);
  const [u, v] = [realValue(a, point), realValue(b, point)];
  if (u && v) {
    const quotient = u.value.div(v.value);
    return { factor: { num: quotient.toSignificantDigits(40).toFixed() }, value: quotient.toNumber(), digits: 25 };
  }
  const { re, im } = floatValue(a, point).div(floatValue(b, point));
  return Math.abs(im) < 1e-9 ? { factor: re, value: re, digits: 9 } : null;
}
