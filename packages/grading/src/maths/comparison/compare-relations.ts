import type { Decimal } from "decimal.js";
import { exactValue } from "../numbers/exact-value.ts";
import { namesOf, type Expression, type Point } from "../numbers/expression.ts";
import { floatValue } from "../numbers/float-value.ts";
import { realValue } from "../numbers/real-value.ts";
import { samplePoint, wholePoint } from "../numbers/sample-point.ts";
import { isNumeric } from "../reading/read-scalar.ts";
import type { Relation, Scalar, Tuple, AnswerSet, Value } from "../value.ts";
import { compareExpressions, type Match, type Precision } from "./compare-expressions.ts";
import { compareScalars, parseScalar } from "./compare-scalars.ts";

const no: Match = { equal: false, how: "at sample points" };

/** Equal sides, or proportional differences. */
export function compareEquations(gold: Relation, answer: Relation, precision: Precision): Match {
  if (!answer.relators.every((relator) => relator === "=")) return no;
  const [a, b] = [sidesOf(gold), sidesOf(answer)];
  for (const [left, right] of [b, [b[1], b[0]] as const]) {
    const sides = [compareScalars(a[0], left, precision), compareScalars(a[1], right, precision)];
    if (sides.every((side) => side.equal)) return { equal: true, how: "same value" };
  }
  const ratio = ratioOf(difference(a), difference(b));
  return { equal: ratio !== null, how: "at sample points" };
}

/** Single inequalities may be rearranged and multiplied. */
export function compareInequalities(gold: Relation, answer: Relation, precision: Precision): Match {
  if (String(gold.relators) !== String(answer.relators)) return no;
  if (gold.sides.every((side, i) => compareScalars(side, answer.sides[i]!, precision).equal))
    return { equal: true, how: "same value" };
  if (gold.relators.length !== 1) return no;
  const ratio = ratioOf(difference(sidesOf(gold)), difference(sidesOf(answer)));
  const isSame = ratio !== null && (ratio > 0 || gold.relators[0] === "\\neq");
  return { equal: isSame, how: "at sample points" };
}

/** Null unless in one variable. */
function intervalOf({ sides, relators }: Relation): Tuple | null {
  const location = sides.length === 3 || !isVariable(sides[0]!) ? 1 : 0;
  const isChain = sides.length <= 3 && relators.every((relator) => relator === "<" || relator === "\\leq");
  if (!isChain || !isVariable(sides[location]!)) return null;
  const infinity = (text: string): Scalar => ({ kind: "scalar", text, exact: null, decimal: false, percent: "no" });
  return {
    kind: "tuple",
    open: relators[location - 1] === "\\leq" ? "[" : "(",
    close: relators[location] === "\\leq" ? "]" : ")",
    items: [sides[location - 1] ?? infinity("-\\infty"), sides[location + 1] ?? infinity("\\infty")],
  };
}

/** A name, or a function application. */
function isVariable({ text }: Scalar): boolean {
  return /^\\?[a-zA-Z]+(?:_\{?\w{1,4}\}?)?(?:'?\s*\([^()]{1,40}\))?$/u.test(text) && !/infty|pi$|^[ei]$/u.test(text);
}

function sidesOf({ sides }: Relation): readonly [Scalar, Scalar] {
  return [sides[0]!, sides.at(-1)!];
}

function difference([left, right]: readonly [Scalar, Scalar]): Expression | null {
  const [a, b] = [parseScalar(left), parseScalar(right)];
  return a === null || b === null ? null : ["Add", a, ["Negate", b]];
}

/** Constant factor, and decimals for multiples; null if exact. */
interface Ratio {
  readonly factor: Expression;
  readonly value: number;
  readonly digits: number | null;
}

/** Constant ratio, calculated at one point and checked at others; null if missing, and for two constants. */
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

/** Last side of a chain such as `m + n = 200 + 4 = 204`; null unless the left side is a sum or product of names. */
export function valueOfChain(chain: Relation, precision: Precision): Scalar | null {
  const [first, ...others] = chain.sides;
  const last = others.at(-1);
  if (!first || !last || !chain.relators.every((relator) => relator === "=") || !isNumeric(last.text)) return null;
  // `100m + n = 4049` may be an equation; `100m + n = 4000 + 49 = 4049` is a calculation.
  const calculation = others.length > 1 && others.every((side) => isNumeric(side.text));
  const names = calculation
    ? hasNames(first)
    : isOnlyNames(first) && others.slice(0, -1).every((side) => isOnlyNames(side) || isNumeric(side.text));
  return names && !contradicts(chain, precision) ? last : null;
}

function contradicts({ sides, relators }: Relation, precision: Precision): boolean {
  if (!relators.every((relator) => relator === "=")) return false;
  const numbers = sides.filter((side) => isNumeric(side.text) && !side.decimal && side.percent === "no");
  return numbers.slice(1).some((side) => {
    const { equal, how } = compareScalars(numbers[0]!, side, precision);
    return !equal && how !== "malformed" && how !== "too large";
  });
}

function isOnlyNames({ text }: Scalar): boolean {
  return hasNames({ text }) && !/\d|\\(?!(?:cdot|times|frac|angle|alpha|beta|gamma|theta)(?![a-zA-Z]))/u.test(text);
}

function hasNames({ text }: Pick<Scalar, "text">): boolean {
  return /[a-zA-Z]/u.test(text.replaceAll(/\\[a-zA-Z]+/gu, ""));
}

/** Number line: ends in order, with gaps. */
interface Line {
  cellOf(end: Scalar): number;
  readonly cells: readonly number[];
}

/**
 * Compares sets of intervals, points and inequalities: `(0,1) \cup [1,2)` equals `(0,2)`. Null for other values, or
 * unknown ends.
 */
export function compareRealSets(gold: Value, answer: Value, precision: Precision): Match | null {
  const ends = [...endsOf(gold), ...endsOf(answer)];
  if (ends.length > 100) return null;
  // Ends with names have no fixed order.
  for (let number = 1; number <= 8; number++) {
    const line = lineOf(ends, precision, samplePoint(number));
    if (!line) return null;
    const pairs = line.cells.map((cell) => [holds(gold, cell, line), holds(answer, cell, line)] as const);
    if (!pairs.flat().includes(null)) return { equal: pairs.every(([a, b]) => a === b), how: "same value" };
  }
  return null;
}

export function isReals(value: Value): boolean {
  return value.kind === "scalar" && /^\\(?:mathbb\s*\{?\s*R\s*\}?|Reals|R)$/u.test(value.text);
}

export function isCondition(value: Value): value is AnswerSet {
  return (
    value.kind === "set" &&
    value.items.length > 0 &&
    value.items.every((item) => item.kind === "relation" && (isExclusion(item) || intervalOf(item)))
  );
}

function isExclusion({ sides, relators }: Relation): boolean {
  return relators.length === 1 && relators[0] === "\\neq" && isVariable(sides[0]!);
}

function endsOf(value: Value): readonly Scalar[] {
  if (value.kind === "relation") {
    const interval = isExclusion(value) ? null : intervalOf(value);
    return interval ? endsOf(interval) : value.sides.slice(1);
  }
  if (value.kind === "combination") return value.parts.flatMap(endsOf);
  if (value.kind !== "tuple" && value.kind !== "set") return [];
  return value.items.flatMap((item) => (item.kind === "scalar" ? [item] : endsOf(item)));
}

function lineOf(ends: readonly Scalar[], precision: Precision, point: Point): Line | null {
  const finite: { readonly end: Scalar; readonly value: Decimal }[] = [];
  for (const end of ends) {
    if (infinitySign(end) !== 0) continue;
    const json = parseScalar(end);
    const real = json === null ? null : realValue(json, point);
    if (!real) return null;
    finite.push({ end, value: real.value });
  }
  finite.sort((a, b) => a.value.comparedTo(b.value));
  const places = new Map<string, number>();
  let index: number = -1;
  let before: Scalar | null = null;
  for (const { end } of finite) {
    if (!before || !compareScalars(before, end, precision).equal) index++;
    before = end;
    places.set(end.text + end.percent, index);
  }
  const count = 2 * (index + 1) + 1;
  return {
    cells: Array.from({ length: count }, (_, cell) => cell),
    cellOf(end) {
      const sign = infinitySign(end);
      if (sign !== 0) return sign > 0 ? count : -1;
      return 2 * places.get(end.text + end.percent)! + 1;
    },
  };
}

function infinitySign({ text }: Scalar): -1 | 0 | 1 {
  const match = /^([-+]?)\\infty$/u.exec(text.replaceAll(" ", ""));
  return match ? (match[1] === "-" ? -1 : 1) : 0;
}

/** Null if not a set of numbers. */
function holds(value: Value, cell: number, line: Line): boolean | null {
  if (value.kind === "scalar") {
    if (isReals(value)) return true;
    return /^\\(?:emptyset|varnothing)$/u.test(value.text) ? false : null;
  }
  if (value.kind === "relation") {
    if (isExclusion(value)) return cell !== line.cellOf(value.sides[1]!);
    const interval = intervalOf(value);
    return interval && holds(interval, cell, line);
  }
  if (value.kind === "tuple") {
    const [low, high] = value.items;
    if (value.items.length !== 2 || low?.kind !== "scalar" || high?.kind !== "scalar") return null;
    const [from, to] = [line.cellOf(low), line.cellOf(high)];
    if (from >= to && !(from === to && value.open === "[" && value.close === "]")) return null;
    return (cell > from && cell < to) || (cell === from && value.open === "[") || (cell === to && value.close === "]");
  }
  if (value.kind === "set") {
    const { items } = value;
    if (isCondition(value)) return satisfies(value, cell, line);
    const isPoints = items.every((item) => item.kind === "scalar" && infinitySign(item) === 0);
    return isPoints ? items.some((item) => cell === line.cellOf(item as Scalar)) : null;
  }
  if (value.kind !== "combination") return null;
  const held = value.parts.map((part) => holds(part, cell, line));
  if (held.includes(null)) return null;
  if (value.operation === "\\cup") return held.includes(true);
  return value.operation === "\\cap" ? !held.includes(false) : held[0] === true && !held.slice(1).includes(true);
}

/** All must hold without "or", unless no number remains: `x < 1, x > 3` is a union. */
function satisfies({ items, joined }: AnswerSet, cell: number, line: Line): boolean | null {
  const heldAt = (index: number): (boolean | null)[] => items.map((item) => holds(item, index, line));
  const held = heldAt(cell);
  if (held.includes(null)) return null;
  const isUnion = joined === "or" || (joined !== "and" && line.cells.every((index) => heldAt(index).includes(false)));
  return isUnion ? held.includes(true) : !held.includes(false);
}
