import { compareScalars, parseScalar } from "./compare-scalars.ts";
import type { Match, Precision } from "./match.ts";
import type { Expression } from "../numbers/expression.ts";
import { ratioOf } from "./ratio.ts";
import type { Relation, Scalar, Tuple } from "../value.ts";

const no: Match = { equal: false, how: "at sample points" };

/** Whether two equations hold for the same values: the same sides, or one difference a multiple of the other. */
export function compareEquations(gold: Relation, answer: Relation, precision: Precision): Match {
  if (!answer.relators.every((each) => each === "=")) return no;
  const [a, b] = [ends(gold), ends(answer)];
  for (const [left, right] of [b, [b[1], b[0]] as const]) {
    const sides = [compareScalars(a[0], left, precision), compareScalars(a[1], right, precision)];
    if (sides.every((side) => side.equal)) return { equal: true, how: "same value" };
  }
  const ratio = ratioOf(difference(a), difference(b));
  return { equal: ratio !== null, how: "at sample points" };
}

/** Whether two chains of inequalities say the same. One inequality may be moved about and multiplied. */
export function compareInequalities(gold: Relation, answer: Relation, precision: Precision): Match {
  if (String(gold.relators) !== String(answer.relators)) return no;
  if (gold.sides.every((side, i) => compareScalars(side, answer.sides[i] as Scalar, precision).equal))
    return { equal: true, how: "same value" };
  if (gold.relators.length !== 1) return no;
  const ratio = ratioOf(difference(ends(gold)), difference(ends(answer)));
  const isSame = ratio !== null && (ratio > 0 || gold.relators[0] === "\\neq");
  return { equal: isSame, how: "at sample points" };
}

/** The interval that an inequality of one name describes; null where it describes none. */
export function intervalOf({ sides, relators }: Relation): Tuple | null {
  const place = sides.length === 3 || !isVariable(sides[0] as Scalar) ? 1 : 0;
  const isChain = sides.length <= 3 && relators.every((each) => each === "<" || each === "\\leq");
  if (!isChain || !isVariable(sides[place] as Scalar)) return null;
  const infinity = (text: string): Scalar => ({ kind: "scalar", text, exact: null, decimal: false, percent: "no" });
  return {
    kind: "tuple",
    open: relators[place - 1] === "\\leq" ? "[" : "(",
    close: relators[place] === "\\leq" ? "]" : ")",
    items: [sides[place - 1] ?? infinity("-\\infty"), sides[place + 1] ?? infinity("\\infty")],
  };
}

/** A name, or a function at a place. */
export function isVariable({ text }: Scalar): boolean {
  return /^\\?[a-zA-Z]+(?:_\{?\w{1,4}\}?)?(?:'?\s*\([^()]{1,40}\))?$/u.test(text) && !/infty|pi$|^[ei]$/u.test(text);
}

function ends({ sides }: Relation): readonly [Scalar, Scalar] {
  return [sides[0] as Scalar, sides.at(-1) as Scalar];
}

function difference([left, right]: readonly [Scalar, Scalar]): Expression | null {
  const [a, b] = [parseScalar(left), parseScalar(right)];
  return a === null || b === null ? null : ["Add", a, ["Negate", b]];
}
