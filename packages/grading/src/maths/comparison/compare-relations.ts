import { exactValue } from "../numbers/exact-value.ts";
import { namesOf, type Expression } from "../numbers/expression.ts";
import { floatValue } from "../numbers/float-value.ts";
import { realValue } from "../numbers/real-value.ts";
import { samplePoint, wholePoint } from "../numbers/sample-point.ts";
import { isNumeric } from "../reading/read-scalar.ts";
import type { Relation, Scalar, Tuple } from "../value.ts";
import { compareExpressions } from "./compare-expressions.ts";
import { compareScalars, parseScalar } from "./compare-scalars.ts";
import type { Match, Precision } from "./match.ts";

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
function ratioOf(a: Expression | null, b: Expression | null): number | null {
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

/**
 * What a chain of equations such as `m + n = 200 + 4 = 204` says of its names: its last side.
 * @returns null where its left side is no sum or product of names, or its numbers contradict each other
 */
export function valueOfChain(chain: Relation, precision: Precision): Scalar | null {
  const [first, ...others] = chain.sides;
  const last = others.at(-1);
  if (!first || !last || !chain.relators.every((each) => each === "=") || !isNumeric(last.text)) return null;
  // `100m + n = 4049` may be an equation to solve; `100m + n = 4000 + 49 = 4049` is a calculation.
  const calculation = others.length > 1 && others.every((side) => isNumeric(side.text));
  const names = calculation
    ? hasNames(first)
    : isOnlyNames(first) && others.slice(0, -1).every((side) => isOnlyNames(side) || isNumeric(side.text));
  return names && !contradicts(chain, precision) ? last : null;
}

/** Whether two sides of a chain of equations are different numbers, both written exactly. */
function contradicts({ sides, relators }: Relation, precision: Precision): boolean {
  if (!relators.every((each) => each === "=")) return false;
  const numbers = sides.filter((side) => isNumeric(side.text) && !side.decimal && side.percent === "no");
  return numbers.slice(1).some((side) => {
    const { equal, how } = compareScalars(numbers[0] as Scalar, side, precision);
    return !equal && how !== "malformed" && how !== "too large";
  });
}

function isOnlyNames({ text }: Scalar): boolean {
  return hasNames({ text }) && !/\d|\\(?!(?:cdot|times|frac|angle|alpha|beta|gamma|theta)(?![a-zA-Z]))/u.test(text);
}

function hasNames({ text }: Pick<Scalar, "text">): boolean {
  return /[a-zA-Z]/u.test(text.replaceAll(/\\[a-zA-Z]+/gu, ""));
}
