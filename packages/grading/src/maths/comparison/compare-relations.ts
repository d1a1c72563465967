import { compareScalars, parseScalar } from "./compare-scalars.ts";
import type { Match, Precision } from "./match.ts";
import type { Expression } from "../numbers/expression.ts";
import { ratioOf } from "./ratio.ts";
import type { Relation, Relator, Scalar, Tuple } from "../value.ts";

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
  return { equal: ratio !== null && ratio !== 0, how: "at sample points" };
}

/** Whether two chains of inequalities say the same, read from either end. */
export function compareInequalities(gold: Relation, answer: Relation, precision: Precision): Match {
  if (gold.relators.length !== answer.relators.length) return no;
  for (const other of [answer, reversed(answer)]) {
    if (gold.relators.some((each, i) => each !== other.relators[i])) continue;
    if (gold.sides.every((side, i) => compareScalars(side, other.sides[i] as Scalar, precision).equal))
      return { equal: true, how: "same value" };
  }
  if (gold.relators.length !== 1) return no;
  // One inequality may be moved about and multiplied; a negative factor turns it round.
  const [mine, theirs] = [gold.relators[0] as Relator, answer.relators[0] as Relator];
  const ratio = ratioOf(difference(ends(gold)), difference(ends(answer)));
  if (ratio === null || ratio === 0) return no;
  return { equal: ratio > 0 ? mine === theirs : mine === turned[theirs], how: "at sample points" };
}

/** The interval that an inequality of one name describes; null where it describes none. */
export function intervalOf({ sides, relators }: Relation): Tuple | null {
  const [first, second, third] = sides;
  if (!first || !second) return null;
  const infinity = (text: string): Scalar => ({ kind: "scalar", text, exact: null, decimal: false, percent: "no" });
  if (third && sides.length === 3 && isVariable(second)) {
    const up = relators.every((each) => each === "<" || each === "\\leq");
    const down = relators.every((each) => each === ">" || each === "\\geq");
    if (!up && !down) return null;
    const [low, high] = up ? [first, third] : [third, first];
    const [lowRelator, highRelator] = up ? relators : [...relators].toReversed();
    return interval(low, isClosed(lowRelator), high, isClosed(highRelator));
  }
  const [relator] = relators;
  if (sides.length !== 2 || !relator || relator === "=" || relator === "\\neq") return null;
  const [name, bound, seen] = isVariable(first) ? [first, second, relator] : [second, first, turned[relator]];
  if (!isVariable(name)) return null;
  return seen === "<" || seen === "\\leq"
    ? interval(infinity("-\\infty"), false, bound, isClosed(seen))
    : interval(bound, isClosed(seen), infinity("\\infty"), false);
}

/** A name, or a function at a place. */
export function isVariable({ text }: Scalar): boolean {
  return /^\\?[a-zA-Z]+(?:_\{?\w{1,4}\}?)?(?:'?\s*\([^()]{1,40}\))?$/u.test(text) && !/infty|pi$|^[ei]$/u.test(text);
}

function interval(low: Scalar, lowClosed: boolean, high: Scalar, highClosed: boolean): Tuple {
  return { kind: "tuple", open: lowClosed ? "[" : "(", close: highClosed ? "]" : ")", items: [low, high] };
}

function isClosed(relator: Relator | undefined): boolean {
  return relator === "\\leq" || relator === "\\geq";
}

const turned: Readonly<Record<Relator, Relator>> = {
  "=": "=",
  "\\neq": "\\neq",
  "<": ">",
  ">": "<",
  "\\leq": "\\geq",
  "\\geq": "\\leq",
};

function reversed({ sides, relators, assigned }: Relation): Relation {
  return {
    kind: "relation",
    sides: sides.toReversed(),
    relators: relators.toReversed().map((each) => turned[each]),
    assigned,
  };
}

function ends({ sides }: Relation): readonly [Scalar, Scalar] {
  return [sides[0] as Scalar, sides.at(-1) as Scalar];
}

function difference([left, right]: readonly [Scalar, Scalar]): Expression | null {
  const [a, b] = [parseScalar(left), parseScalar(right)];
  return a === null || b === null ? null : ["Add", a, ["Negate", b]];
}
