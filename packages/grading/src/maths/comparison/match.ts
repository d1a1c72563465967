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
