import type { Fraction } from "fraction.js";
import type { Expression } from "./numbers/expression.ts";
import type { Clock } from "./reading/clock.ts";

/** A number or an expression: anything that is not made of several answers. */
export interface Scalar {
  readonly kind: "scalar";
  /** Normalised LaTeX. */
  readonly text: string;
  /** Its exact value, where it is written as an integer, a decimal or a fraction of integers. */
  readonly exact: Fraction | null;
  /** A decimal point is in it: it is rounded before it is compared. */
  readonly decimal: boolean;
  /** `plain` is `10%`, which people write for 10 and for 0.1; `\%` is a hundredth. */
  readonly percent: "no" | "plain" | "latex";
  /** Where it was calculated, what the text stands for. */
  readonly expression?: Expression;
  /** The measure of the unit behind it, such as `cm^2`. */
  readonly measure?: string | undefined;
}

/** Words. */
export interface Words {
  readonly kind: "words";
  readonly text: string;
}

/** A list in any order, duplicates counted once. */
export interface AnswerSet {
  readonly kind: "set";
  readonly items: readonly Value[];
  /** The word that joins inequalities; a comma may mean either. */
  readonly joined?: "and" | "or";
  /** Where each item is given to a name of its own, the names. */
  readonly names?: readonly string[];
}

/** A list in order; with two items also an interval. */
export interface Tuple {
  readonly kind: "tuple";
  readonly open: "(" | "[";
  readonly close: ")" | "]";
  readonly items: readonly Value[];
}

/** Sets put together. */
export interface Combination {
  readonly kind: "combination";
  readonly operation: "\\cup" | "\\cap" | "\\setminus";
  readonly parts: readonly Value[];
}

export interface Matrix {
  readonly kind: "matrix";
  readonly rows: readonly (readonly Value[])[];
}

export type Relator = "=" | "\\neq" | "<" | ">" | "\\leq" | "\\geq";

/** Sides joined by relations, such as `0 < x \leq 1`. */
export interface Relation {
  readonly kind: "relation";
  readonly sides: readonly Scalar[];
  /** One fewer than sides. */
  readonly relators: readonly Relator[];
  /** What is said of a name: the last side of `x = 2`, `f(x) = 2x`, `(p, q) = (1, 2)`. */
  readonly assigned: Value | null;
  /** Behind the assigned value, what it is about. */
  readonly about?: Value | undefined;
}

/** A digit string in a base other than ten. */
export interface InBase {
  readonly kind: "base";
  readonly digits: string;
  readonly base: string;
}

/** A remainder and what is divided by: `3 \\pmod 7`. */
export interface Congruence {
  readonly kind: "congruence";
  readonly remainder: Scalar;
  readonly modulus: Scalar;
}

/** What an answer says. */
export type Value = Clock | Scalar | Words | AnswerSet | Tuple | Combination | Matrix | Relation | InBase | Congruence;
