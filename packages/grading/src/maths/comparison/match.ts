import { Decimal } from "decimal.js";
import type { Fraction } from "fraction.js";
import type { Real } from "../numbers/real-value.ts";

/** How numbers are compared. */
export interface Precision {
  /** Decimals to which a decimal is rounded. */
  readonly digits: number;
  /** Largest absolute difference, where a benchmark names one; the digits then do not matter. */
  readonly tolerance: number | null;
  /** How an answer is written decides less: see `MathsOptions.lenient`. */
  readonly lenient?: boolean;
}

/** The outcome of one comparison. */
export interface Match {
  readonly equal: boolean;
  readonly how:
    | "same text"
    | "exact number"
    | "rounded number"
    | "within tolerance"
    | "same value"
    | "at sample points"
    | "other unit"
    | "malformed"
    /** Numbers or functions that nothing here can compare. */
    | "too large";
}

/** Enough for any number that `exactValue` gives. */
const Digits = Decimal.clone({ precision: 2600, defaults: true });

export function realOf({ s, n, d }: Fraction): Real {
  return { value: new Digits(String(s * n)).div(String(d)), error: new Digits(0) };
}

/**
 * Whether two numbers are the same within their errors, within the tolerance, or where one was written as a decimal, once rounded.
 * Small numbers are rounded to all but two as many digits of their own: with six decimals 0.0000672 is not 0.0000673.
 * @param size - of the larger one: what is less than a fiftieth of it is no rounding
 */
export function closeReals(
  a: Real,
  b: Real,
  decimal: boolean,
  { digits, tolerance }: Precision,
  size: Decimal = Decimal.max(a.value.abs(), b.value.abs()),
): boolean {
  const difference = a.value.sub(b.value).abs();
  if (difference.lessThanOrEqualTo(a.error.add(b.error))) return true;
  if (tolerance !== null) return difference.lessThanOrEqualTo(tolerance * (1 + 1e-9));
  if (!decimal || difference.greaterThan(size.div(50))) return false;
  const decimals = Math.max(digits, digits - 3 - size.e);
  return a.value.toDecimalPlaces(decimals).equals(b.value.toDecimalPlaces(decimals));
}
