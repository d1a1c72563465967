import { bind, needed, type Parameters } from "./arguments.ts";
import { caseTests } from "./characters.ts";
import { unsupported } from "./errors.ts";
import { filters } from "./filters.ts";
import { arithmetic, compare, isEqual, numeric, type Comparison } from "./operators.ts";
import { textOf } from "./print.ts";
import {
  Dict,
  Markup,
  Range,
  Thing,
  Tuple,
  Undefined,
  characters,
  typeOf,
  type Arguments,
  type Value,
} from "./values.ts";

/** A test; the first argument is its input. */
export type Test = (call: Arguments) => boolean;

const test =
  (parameters: Parameters, run: (...values: Value[]) => boolean): Test =>
  (call) =>
    run(...bind("test", parameters, call));
const one = (run: (value: Value) => boolean): Test => test({ value: needed }, (value) => run(value));
const comparison = (operator: Comparison): Test => test({ a: needed, b: needed }, (a, b) => compare(operator, a, b));

/** `value % divisor == rest`. */
const leaves = (value: Value, divisor: Value, rest: bigint): boolean => isEqual(arithmetic("%", value, divisor), rest);

/** Jinja's `sequence`: has a length and elements by position or key. */
function isSequence(value: Value): boolean {
  if (value instanceof Thing) return [Tuple, Dict, Range, Undefined].some((type) => value instanceof type);
  return typeof value === "string" || Array.isArray(value);
}

function isSame(a: Value, b: Value): boolean {
  const isShared = (value: Value): boolean => value === null || typeof value === "boolean";
  if (isShared(a) || isShared(b) || typeOf(a) !== typeOf(b)) return a === b;
  if (!(a instanceof Thing) && !Array.isArray(a)) throw unsupported(`the test sameas for values of type ${typeOf(a)}`);
  if (a instanceof Tuple || a instanceof Undefined)
    throw unsupported(`the test sameas for values of type ${typeOf(a)}`);
  return a === b;
}

/** Tests of Jinja by name. */
export const tests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["boolean", one((value) => typeof value === "boolean")],
  ["callable", one((value) => value instanceof Thing && (value.callable || value instanceof Undefined))],
  ["defined", one((value) => !(value instanceof Undefined))],
  ["divisibleby", test({ value: needed, num: needed }, (value, divisor) => leaves(value, divisor, 0n))],
  ["escaped", one((value) => value instanceof Markup)],
  ["even", one((value) => leaves(value, 2n, 0n))],
  ["false", one((value) => value === false)],
  ["filter", one((value) => filters.has(value as string))],
  ["float", one((value) => typeof value === "number")],
  ["in", test({ value: needed, seq: needed }, (value, sequence) => compare("in", value, sequence))],
  ["integer", one((value) => typeof value === "bigint")],
  [
    "iterable",
    one(
      (value) =>
        typeof value === "string" || Array.isArray(value) || (value instanceof Thing && value.iterate() !== null),
    ),
  ],
  ["lower", one((value) => caseTests["islower"]?.(characters(textOf(value))) === true)],
  ["mapping", one((value) => value instanceof Dict)],
  ["none", one((value) => value === null)],
  ["number", one((value) => numeric(value) !== null)],
  ["odd", one((value) => leaves(value, 2n, 1n))],
  ["sameas", test({ value: needed, other: needed }, (value, other) => isSame(value, other))],
  ["sequence", one(isSequence)],
  ["string", one((value) => typeof value === "string" || value instanceof Markup)],
  ["test", one((value) => tests.has(value as string))],
  ["true", one((value) => value === true)],
  ["undefined", one((value) => value instanceof Undefined)],
  ["upper", one((value) => caseTests["isupper"]?.(characters(textOf(value))) === true)],
  ...(["==", "!=", "<", "<=", ">", ">="] as const).map((name): [string, Test] => [name, comparison(name)]),
  ...Object.entries({
    eq: "==",
    equalto: "==",
    ne: "!=",
    lt: "<",
    lessthan: "<",
    le: "<=",
    gt: ">",
    greaterthan: ">",
    ge: ">=",
  } as const).map(([name, operator]): [string, Test] => [name, comparison(operator)]),
]);
