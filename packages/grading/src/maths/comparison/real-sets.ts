import type { Decimal } from "decimal.js";
import { intervalOf, isVariable } from "./compare-relations.ts";
import { compareScalars, parseScalar } from "./compare-scalars.ts";
import type { Match, Precision } from "./match.ts";
import { realValue } from "../numbers/real-value.ts";
import type { AnswerSet, Combination, Relation, Scalar, Value } from "../value.ts";

/** The places where a set of numbers may begin and end, in order, and between them the gaps: gap, place, gap, place, gap. */
interface Line {
  /** Where among the cells a number is. */
  cellOf(end: Scalar): number;
  readonly cells: number;
}

/**
 * Compares sets of real numbers that are put together from intervals, points and inequalities, whatever the way:
 * `(0,1) \cup [1,2)` is `(0,2)`.
 * @returns null where one of them is no such set, or its ends are no known numbers
 */
export function compareRealSets(gold: Value, answer: Value, precision: Precision): Match | null {
  const ends = [...(endsOf(gold) ?? []), ...(endsOf(answer) ?? [])];
  const line = ends.length > 100 ? null : lineOf(ends, precision);
  if (!line) return null;
  const [a, b] = [cellsOf(gold, line), cellsOf(answer, line)];
  return a && b && { equal: a.every((held, i) => held === b[i]), how: "same value" };
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

function endsOf(value: Value): Scalar[] | null {
  switch (value.kind) {
    case "scalar":
      return [];
    case "relation": {
      if (isExclusion(value)) return [value.sides[1] as Scalar];
      const interval = intervalOf(value);
      return interval && endsOf(interval);
    }
    case "tuple":
    case "set": {
      const ends = value.items.map((item) => (item.kind === "scalar" ? [item] : endsOf(item)));
      return ends.includes(null) ? null : (ends as Scalar[][]).flat();
    }
    case "combination": {
      const ends = value.parts.map((part) => endsOf(part));
      return ends.includes(null) ? null : (ends as Scalar[][]).flat();
    }
    case "words":
    case "matrix":
    case "base":
    case "clock":
    case "congruence":
      return null;
  }
}

function lineOf(ends: readonly Scalar[], precision: Precision): Line | null {
  const finite: { readonly end: Scalar; readonly value: Decimal }[] = [];
  for (const end of ends) {
    if (infinity(end) !== 0) continue;
    const json = parseScalar(end);
    const real = json === null ? null : realValue(json);
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
  const cells = 2 * (place + 1) + 1;
  return {
    cells,
    cellOf(end) {
      const sign = infinity(end);
      if (sign !== 0) return sign > 0 ? cells : -1;
      return 2 * (places.get(end.text + end.percent) as number) + 1;
    },
  };
}

function infinity({ text }: Scalar): -1 | 0 | 1 {
  const match = /^([-+]?)\\infty$/u.exec(text.replaceAll(" ", ""));
  return match ? (match[1] === "-" ? -1 : 1) : 0;
}

/** Which cells a set holds; null where it is no set of numbers. */
function cellsOf(value: Value, line: Line): boolean[] | null {
  const all = (held: (cell: number) => boolean): boolean[] =>
    Array.from({ length: line.cells }, (_, cell) => held(cell));
  switch (value.kind) {
    case "scalar":
      if (/^\\(?:mathbb\s*\{?\s*R\s*\}?|Reals|R)$/u.test(value.text)) return all(() => true);
      return /^\\(?:emptyset|varnothing)$/u.test(value.text) ? all(() => false) : null;
    case "relation": {
      if (isExclusion(value)) {
        const cell = line.cellOf(value.sides[1] as Scalar);
        return all((each) => each !== cell);
      }
      const interval = intervalOf(value);
      return interval && cellsOf(interval, line);
    }
    case "tuple": {
      const [low, high] = value.items;
      if (value.items.length !== 2 || low?.kind !== "scalar" || high?.kind !== "scalar") return null;
      const [from, to] = [line.cellOf(low), line.cellOf(high)];
      if (from >= to && !(from === to && value.open === "[" && value.close === "]")) return null;
      return all(
        (cell) =>
          (cell > from && cell < to) || (cell === from && value.open === "[") || (cell === to && value.close === "]"),
      );
    }
    case "set":
      return isCondition(value) ? conditions(value, line) : pointsOf(value, line, all);
    case "combination":
      return combine(value, line);
    case "words":
    case "matrix":
    case "base":
    case "clock":
    case "congruence":
      return null;
  }
}

function pointsOf(
  { items }: AnswerSet,
  line: Line,
  all: (held: (cell: number) => boolean) => boolean[],
): boolean[] | null {
  if (!items.every((item): item is Scalar => item.kind === "scalar" && infinity(item) === 0)) return null;
  const cells = new Set(items.map((item) => line.cellOf(item)));
  return all((cell) => cells.has(cell));
}

/** Without an "or" all of them hold, unless that leaves nothing: `x < 1, x > 3` lists the parts of a union. */
function conditions({ items, joined }: AnswerSet, line: Line): boolean[] | null {
  const parts = items.map((item) => cellsOf(item, line));
  if (parts.includes(null)) return null;
  const both = merged(parts as boolean[][], (a, b) => a && b);
  return joined === "or" || (joined !== "and" && !both.includes(true))
    ? merged(parts as boolean[][], (a, b) => a || b)
    : both;
}

function combine({ operation, parts }: Combination, line: Line): boolean[] | null {
  const held = parts.map((part) => cellsOf(part, line));
  if (held.includes(null)) return null;
  const by = { "\\cup": (a: boolean, b: boolean) => a || b, "\\cap": (a: boolean, b: boolean) => a && b };
  return merged(held as boolean[][], operation === "\\setminus" ? (a, b) => a && !b : by[operation]);
}

function merged(parts: readonly boolean[][], by: (a: boolean, b: boolean) => boolean): boolean[] {
  return parts.reduce((a, b) => a.map((held, i) => by(held, b[i] as boolean)));
}
