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

/**
 * Decimals to which a number is rounded: those that are asked for, and of small numbers enough to keep all but two as many
 * digits of their own (with six decimals four digits: 0.0000672 is not 0.0000673).
 * @param exponent - of the larger number: the power of ten of its first digit
 */
export function decimalsAt(digits: number, exponent: number): number {
  return Number.isFinite(exponent) ? Math.max(digits, digits - 3 - exponent) : digits;
}
