import type { Match, Precision } from "./compare-expressions.ts";
import { compareScalars } from "./compare-scalars.ts";
import { sameTime } from "../reading/clock.ts";
import {
  compareEquations,
  compareInequalities,
  valueOfChain,
  compareRealSets,
  isCondition,
  isReals,
} from "./compare-relations.ts";
import { readScalar } from "../reading/read-scalar.ts";
import type { AnswerSet, Tuple, Value } from "../value.ts";

export interface Likeness extends Precision {
  /** Tolerances in the gold's order. */
  readonly tolerances: readonly number[] | null;
  /** The reverse always holds. */
  readonly inequalities: boolean;
}

const no: Match = { equal: false, how: "same value" };
const yes: Match = { equal: true, how: "same value" };

export function compareValues(gold: Value, answer: Value, likeness: Likeness): Match {
  const isEither = (kind: Value["kind"]): boolean => gold.kind === kind || answer.kind === kind;
  if (isEither("clock")) return sameClock(gold, answer) ? yes : no;
  if (isEither("words")) return sameWords(gold, answer);
  if (isEither("relation")) return compareRelations(gold, answer, likeness);
  if (isEither("base")) return sameBase(gold, answer, likeness) ? yes : no;
  if (isEither("congruence")) return compareCongruences(gold, answer, likeness);
  if ([gold, answer].some((item) => item.kind === "combination" || isCondition(item) || isReals(item))) {
    const sets = mayBeCondition(gold, answer, likeness) ? compareRealSets(gold, answer, likeness) : null;
    if (sets) return sets;
  }
  if (isEither("combination")) return compareCombinations(gold, answer, likeness);
  if (isEither("matrix")) return compareMatrices(gold, answer, likeness);
  if (gold.kind === "set" && answer.kind === "set") {
    const named = byName(gold, answer);
    if (named) return everyPair(gold.items, named, likeness);
    return sameItems(gold.items, answer.items, likeness) ? yes : no;
  }
  if (gold.kind === "tuple" && answer.kind === "tuple") return compareTuples(gold, answer, likeness);
  if (gold.kind === "scalar" && answer.kind === "scalar") return compareScalars(gold, answer, likeness);
  return compareMixed(gold, answer, likeness);
}

/** Answer items in the gold's order, by variable. */
function byName(gold: AnswerSet, answer: AnswerSet): readonly Value[] | null {
  if (!gold.names || gold.names.length !== answer.names?.length) return null;
  const places = gold.names.map((name) => answer.names!.indexOf(name));
  return places.includes(-1) ? null : places.map((index) => answer.items[index]!);
}

function mayBeCondition(gold: Value, answer: Value, { inequalities }: Likeness): boolean {
  const byCondition = (value: Value): boolean =>
    value.kind === "relation" || isCondition(value) || (value.kind === "combination" && value.parts.some(byCondition));
  return inequalities || !byCondition(answer) || byCondition(gold);
}

function compareCongruences(gold: Value, answer: Value, precision: Precision): Match {
  if (gold.kind !== "congruence" || answer.kind !== "congruence") return no;
  const moduli = compareScalars(gold.modulus, answer.modulus, precision);
  if (!moduli.equal) return moduli;
  const [a, b, m] = [gold.remainder.exact, answer.remainder.exact, gold.modulus.exact];
  if (a && b && m && !m.equals(0)) return a.sub(b).div(m).d === 1n ? yes : no;
  return compareScalars(gold.remainder, answer.remainder, precision);
}

function compareMixed(gold: Value, answer: Value, likeness: Likeness): Match {
  for (const [set, other] of [
    [gold, answer],
    [answer, gold],
  ] as const) {
    if (set.kind !== "set") continue;
    const [only] = set.items;
    if (set.items.length === 1 && only)
      return set === gold ? compareValues(only, other, likeness) : compareValues(other, only, likeness);
    // Lists match a gold tuple in order; intervals do not.
    const isOrdered = set === answer || set.names !== undefined;
    if (isOrdered && other.kind === "tuple" && set.items.length === other.items.length && isRound(other))
      return everyPair(set.items, other.items, likeness);
  }
  return no;
}

function isRound({ open, close }: Tuple): boolean {
  return open === "(" && close === ")";
}

function compareTuples(gold: Tuple, answer: Tuple, likeness: Likeness): Match {
  // Two items in brackets are an interval.
  if (gold.items.length === 2) {
    const [low, high] = gold.items as [Value, Value];
    const sameLow = gold.open === answer.open || isInfinite(low);
    const sameHigh = gold.close === answer.close || isInfinite(high);
    if (!sameLow || !sameHigh) return no;
  }
  return everyPair(gold.items, answer.items, likeness);
}

function isInfinite(value: Value): boolean {
  return value.kind === "scalar" && value.text.includes("\\infty");
}

function everyPair(golds: readonly Value[], answers: readonly Value[], likeness: Likeness): Match {
  const isSame = (gold: Value, i: number): boolean => compareValues(gold, answers[i]!, likeness).equal;
  return golds.length === answers.length && golds.every(isSame) ? yes : no;
}

function sameItems(golds: readonly Value[], answers: readonly Value[], likeness: Likeness): boolean {
  const { tolerances, tolerance } = likeness;
  const isSame = (gold: Value, i: number, answer: Value): boolean =>
    compareValues(gold, answer, {
      ...likeness,
      tolerances: null,
      tolerance: tolerances?.[i] ?? tolerances?.[0] ?? tolerance,
    }).equal;
  const places = golds.map((gold, i) => answers.findIndex((answer) => isSame(gold, i, answer)));
  if (places.includes(-1)) return false;
  // An answer may repeat a matched item.
  return answers.every((answer, index) => places.includes(index) || golds.some((gold, i) => isSame(gold, i, answer)));
}

function compareCombinations(gold: Value, answer: Value, likeness: Likeness): Match {
  if (gold.kind !== "combination" || answer.kind !== "combination") return no;
  if (gold.operation !== answer.operation || gold.parts.length !== answer.parts.length) return no;
  if (gold.operation === "\\setminus") return everyPair(gold.parts, answer.parts, likeness);
  return sameItems(gold.parts, answer.parts, likeness) ? yes : no;
}

function compareMatrices(gold: Value, answer: Value, likeness: Likeness): Match {
  const [a, b] = [rowsOf(gold), rowsOf(answer)];
  if (!a || !b || a.length !== b.length) return no;
  return a.every((row, i) => everyPair(row, b[i]!, likeness).equal) ? yes : no;
}

/** Tuples are columns. */
function rowsOf(value: Value): readonly (readonly Value[])[] | null {
  if (value.kind === "matrix") return value.rows;
  if (value.kind !== "tuple") return null;
  if (isRound(value)) return value.items.map((item) => [item]);
  // Lists of rows, as in programs.
  const rows = value.items.map((item) => (item.kind === "tuple" && item.open === "[" ? item.items : null));
  return rows.every((row) => row !== null) ? rows : null;
}

function compareRelations(gold: Value, answer: Value, likeness: Likeness): Match {
  const again = (a: Value, b: Value): Match => compareValues(a, b, likeness);
  if (gold.kind === "relation" && answer.kind === "relation") {
    if (gold.assigned && answer.assigned) {
      const values = again(gold.assigned, answer.assigned);
      if (values.equal) return values;
    }
    if (gold.relators.every((relator) => relator === "=")) return compareEquations(gold, answer, likeness);
    return compareInequalities(gold, answer, likeness);
  }
  if (gold.kind === "relation") {
    if (gold.assigned) return again(gold.assigned, answer);
    return compareRealSets(gold, answer, likeness) ?? no;
  }
  if (answer.kind !== "relation") return no;
  if (answer.assigned) {
    const exactly = again(gold, answer.assigned);
    return exactly.equal || !answer.about ? exactly : again(gold, answer.about);
  }
  const total = gold.kind === "scalar" ? valueOfChain(answer, likeness) : null;
  if (total) return again(gold, total);
  if (!likeness.inequalities) return no;
  return compareRealSets(gold, answer, likeness) ?? no;
}

function sameClock(gold: Value, answer: Value): boolean {
  const [clock, other] = gold.kind === "clock" ? [gold, answer] : [answer, gold];
  if (clock.kind !== "clock") return false;
  if (other.kind === "clock")
    return clock.hour === other.hour && clock.minute === other.minute && clock.half === other.half;
  return other.kind === "scalar" && sameTime(clock, other.text);
}

function sameBase(gold: Value, answer: Value, { lenient = false }: Likeness): boolean {
  const [one, other] = gold.kind === "base" ? [gold, answer] : [answer, gold];
  if (lenient && one.kind === "base" && other.kind === "scalar") return one.digits === other.text;
  return gold.kind === "base" && answer.kind === "base" && gold.digits === answer.digits && gold.base === answer.base;
}

function sameWords(gold: Value, answer: Value): Match {
  const [a, b] = [lettersOf(gold), lettersOf(answer)];
  if (a === null || b === null || a === "") return no;
  if (a === b) return { equal: true, how: "same text" };
  return sameProduct(gold, answer) ? yes : { equal: false, how: "same text" };
}

/** `abcd` may be a word or a product. */
function sameProduct(gold: Value, answer: Value): boolean {
  if (gold.kind === answer.kind) return false;
  const [a, b] = [gold, answer].map((value) =>
    value.kind === "words" && /^\S{1,12}$/u.test(value.text) ? readScalar(value.text) : value,
  );
  return a?.kind === "scalar" && b?.kind === "scalar" && compareScalars(a, b, { digits: 6, tolerance: null }).equal;
}

function lettersOf(value: Value): string | null {
  if (value.kind === "relation" && value.assigned) return lettersOf(value.assigned);
  if (value.kind !== "words" && value.kind !== "scalar") return null;
  return value.text
    .replaceAll(/\\text(?![a-z])/gu, "")
    .replace(/^[\s{]*(?:an?|the)\s+(?=\p{L}{2})/iu, "")
    .replaceAll(/[^\p{L}\p{N}]/gu, "")
    .toLowerCase();
}
