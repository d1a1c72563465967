import type { Decimal } from "decimal.js";
import { intervalOf, isVariable } from "./compare-relations.ts";
import { compareScalars, parseScalar } from "./compare-scalars.ts";
import type { Match, Precision } from "./match.ts";
import type { Point } from "../numbers/expression.ts";
import { realValue } from "../numbers/real-value.ts";
import { samplePoint } from "../numbers/sample-point.ts";
import type { AnswerSet, Relation, Scalar, Value } from "../value.ts";

/** The places where sets of numbers may begin and end, in order, and between them the gaps: gap, place, gap, place, gap. */
interface Line {
  /** Where among the cells a number is. */
  cellOf(end: Scalar): number;
  readonly cells: readonly number[];
}

/**
 * Compares sets of real numbers that are put together from intervals, points and inequalities, whatever the way:
 * `(0,1) \cup [1,2)` is `(0,2)`.
 * @returns null where one of them is no such set, or its ends are no known numbers
 */
export function compareRealSets(gold: Value, answer: Value, precision: Precision): Match | null {
  const ends = [...endsOf(gold), ...endsOf(answer)];
  if (ends.length > 100) return null;
  // Ends with names in them may come in either order: each set has to hold something.
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

/** A set of numbers that is described by inequalities. */
export function isCondition(value: Value): value is AnswerSet {
  return (
    value.kind === "set" &&
    value.items.length > 0 &&
    value.items.every((item) => item.kind === "relation" && (isExclusion(item) || intervalOf(item)))
  );
}

/** `x \neq 2`. */
function isExclusion({ sides, relators }: Relation): boolean {
  return relators.length === 1 && relators[0] === "\\neq" && isVariable(sides[0] as Scalar);
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
    if (infinity(end) !== 0) continue;
    const json = parseScalar(end);
    const real = json === null ? null : realValue(json, point);
    if (!real) return null;
    finite.push({ end, value: real.value });
  }
  finite.sort((a, b) => a.value.comparedTo(b.value));
  const places = new Map<string, number>();
  let place: number = -1;
  let before: Scalar | null = null;
  for (const { end } of finite) {
    if (!before || !compareScalars(before, end, precision).equal) place++;
    before = end;
    places.set(end.text + end.percent, place);
  }
  const count = 2 * (place + 1) + 1;
  return {
    cells: Array.from({ length: count }, (_, cell) => cell),
    cellOf(end) {
      const sign = infinity(end);
      if (sign !== 0) return sign > 0 ? count : -1;
      return 2 * (places.get(end.text + end.percent) as number) + 1;
    },
  };
}

function infinity({ text }: Scalar): -1 | 0 | 1 {
  const match = /^([-+]?)\\infty$/u.exec(text.replaceAll(" ", ""));
  return match ? (match[1] === "-" ? -1 : 1) : 0;
}

/** Whether a set holds a cell; null where it is no set of numbers. */
function holds(value: Value, cell: number, line: Line): boolean | null {
  if (value.kind === "scalar") {
    if (isReals(value)) return true;
    return /^\\(?:emptyset|varnothing)$/u.test(value.text) ? false : null;
  }
  if (value.kind === "relation") {
    if (isExclusion(value)) return cell !== line.cellOf(value.sides[1] as Scalar);
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
    const isPoints = items.every((item) => item.kind === "scalar" && infinity(item) === 0);
    return isPoints ? items.some((item) => cell === line.cellOf(item as Scalar)) : null;
  }
  if (value.kind !== "combination") return null;
  const held = value.parts.map((part) => holds(part, cell, line));
  if (held.includes(null)) return null;
  if (value.operation === "\\cup") return held.includes(true);
  return value.operation === "\\cap" ? !held.includes(false) : held[0] === true && !held.slice(1).includes(true);
}

/** Without an "or" all of them hold, unless that leaves nothing: `x < 1, x > 3` lists the parts of a union. */
function satisfies({ items, joined }: AnswerSet, cell: number, line: Line): boolean | null {
  const heldAt = (place: number): (boolean | null)[] => items.map((item) => holds(item, place, line));
  const held = heldAt(cell);
  if (held.includes(null)) return null;
  const isUnion = joined === "or" || (joined !== "and" && line.cells.every((place) => heldAt(place).includes(false)));
  return isUnion ? held.includes(true) : !held.includes(false);
}
