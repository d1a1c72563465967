import type { Fraction } from "fraction.js";
import type { Expression } from "./numbers/expression.ts";
import type { Clock } from "./reading/clock.ts";

export interface Scalar {
  readonly kind: "scalar";
  /** Normalised LaTeX. */
  readonly text: string;
  /** Set for an integer, a decimal or a fraction of integers. */
  readonly exact: Fraction | null;
  /** Rounded for comparison. */
  readonly decimal: boolean;
  /** `plain` is `10%`, which can mean 10 or 0.1; `\%` is a hundredth. */
  readonly percent: "no" | "plain" | "latex";
  readonly expression?: Expression;
  /** Unit such as `cm^2`. */
  readonly measure?: string | undefined;
}

interface Words {
  readonly kind: "words";
  readonly text: string;
}

/** Unordered; duplicates count once. */
export interface AnswerSet {
  readonly kind: "set";
  readonly items: readonly Value[];
  /** A comma may be either. */
  readonly joined?: "and" | "or";
  /** Set if all differ. */
  readonly names?: readonly string[];
}

/** Ordered; with two items also an interval. */
export interface Tuple {
  readonly kind: "tuple";
  readonly open: "(" | "[";
  readonly close: ")" | "]";
  readonly items: readonly Value[];
}

interface Combination {
  readonly kind: "combination";
  readonly operation: "\\cup" | "\\cap" | "\\setminus";
  readonly parts: readonly Value[];
}

interface Matrix {
  readonly kind: "matrix";
  readonly rows: readonly (readonly Value[])[];
}

export type Relator = "=" | "\\neq" | "<" | ">" | "\\leq" | "\\geq";

/** Sides joined by relations, such as `0 < x \leq 1`. */
export interface Relation {
  readonly kind: "relation";
  readonly sides: readonly Scalar[];
  readonly relators: readonly Relator[];
  /** Last side of `x = 2`, `f(x) = 2x`, `(p, q) = (1, 2)`. */
  readonly assigned: Value | null;
  readonly about?: Value | undefined;
}

export interface InBase {
  readonly kind: "base";
  readonly digits: string;
  readonly base: string;
}

interface Congruence {
  readonly kind: "congruence";
  readonly remainder: Scalar;
  readonly modulus: Scalar;
}

/** A parsed answer. */
export type Value = Clock | Scalar | Words | AnswerSet | Tuple | Combination | Matrix | Relation | InBase | Congruence;
