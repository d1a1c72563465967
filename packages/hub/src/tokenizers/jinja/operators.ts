import { refusal, unsupported } from "./errors.ts";
import { printed } from "./print.ts";
import { characters, checkLength, checkUse, is, isList, itemsOf, iterate, tuple, typeOf } from "./values.ts";
import type { Value } from "./values.ts";

/** An int or float, with True as 1; null for other values. */
export function numeric(value: Value): bigint | number | null {
  if (typeof value === "boolean") return value ? 1n : 0n;
  return typeof value === "bigint" || typeof value === "number" ? value : null;
}

export function integerOf(value: Value): number {
  const number = numeric(value);
  if (typeof number !== "bigint") throw refusal(`'${typeOf(value)}' object cannot be interpreted as an integer`);
  return exactly(number);
}

function arithmetic(operator: string, a: Value, b: Value): Value {
  const [left, right] = [numeric(a), numeric(b)];
  if (typeof left === "bigint" && typeof right === "bigint") return integers(operator, left, right);
  if (left !== null && right !== null) return floats(operator, exactly(left), exactly(right));
  checkUse(a);
  if (operator === "%" && typeof a === "string") throw unsupported("% formatting of a string");
  checkUse(b);
  const [first, second] = [itemsOf(a), itemsOf(b)];
  if (operator === "+" && typeof a === "string" && typeof b === "string") return concatenated(a, b);
  if (operator === "+" && first && second && typeOf(a) === typeOf(b)) return likeOf(a, first.concat(second));
  if (operator === "*" && typeof right === "bigint") return repeated(a, right);
  if (operator === "*" && typeof left === "bigint") return repeated(b, left);
  if (operator === "-" && first) throw unsupported(`the difference of a ${typeOf(a)}`);
  throw refusal(`unsupported operand type(s) for ${operator}: '${typeOf(a)}' and '${typeOf(b)}'`);
}

function integers(operator: string, a: bigint, b: bigint): Value {
  if (b === 0n && "//%".includes(operator)) throw refusal("division by zero");
  // Python's remainder has the sign of the divisor.
  const modulo = (): bigint => (a % b !== 0n && a < 0n !== b < 0n ? (a % b) + b : a % b);
  if (operator === "+") return a + b;
  if (operator === "-") return a - b;
  if (operator === "*") return a * b;
  if (operator === "%") return modulo();
  if (operator === "//") return (a - modulo()) / b;
  if (operator !== "/") throw unsupported(`the operator ${operator}`);
  return exactly(a) / exactly(b);
}

function floats(operator: string, a: number, b: number): number {
  if (operator === "+") return a + b;
  if (operator === "-") return a - b;
  if (operator === "*") return a * b;
  if (operator !== "/") throw unsupported(`the operator ${operator} with a float`);
  if (b === 0) throw refusal("float division by zero");
  return a / b;
}

function exactly(value: bigint | number): number {
  const number = Number(value);
  if (typeof value === "bigint" && !Number.isSafeInteger(number)) throw unsupported(`the large int ${value} here`);
  return number;
}

function concatenated(a: string, b: string): string {
  checkLength(a.length + b.length);
  return a + b;
}

function likeOf(model: Value, items: readonly Value[]): Value {
  checkLength(items.length);
  if (isList(model)) return items;
  if (typeOf(model) !== "tuple") throw unsupported(`a sum or part of a ${typeOf(model)}`);
  return tuple(items);
}

function repeated(sequence: Value, count: bigint): Value {
  const times = Math.max(0, integerOf(count));
  const items = typeof sequence === "string" ? sequence : itemsOf(sequence);
  if (items === null) throw refusal(`can't multiply a ${typeOf(sequence)} by an int`);
  checkLength(items.length * times);
  return typeof items === "string" ? items.repeat(times) : likeOf(sequence, new Array(times).fill(items).flat());
}

export function isEqual(a: Value, b: Value): boolean {
  const [left, right] = [numeric(a), numeric(b)];
  if (left !== null && right !== null) return order("==", left, right) === 0;
  if (is(a, "Undefined") || is(b, "Undefined")) return typeOf(a) === typeOf(b);
  for (const value of [a, b]) checkUse(value);
  if (is(a, "dict") && is(b, "dict")) {
    const isShared = ([key, value]: readonly [Value, Value]): boolean =>
      contains(b, key) && isEqual(value, b.get(key) as Value);
    return a.size === b.size && a.entries().every(isShared);
  }
  const [first, second] = [itemsOf(a), itemsOf(b)];
  if (typeOf(a) !== typeOf(b) || !first || !second) return a === b;
  if (!isList(a) && typeOf(a) !== "tuple") throw unsupported(`a comparison of a ${typeOf(a)}`);
  return first.length === second.length && first.every((item, i) => isEqual(item, second[i] as Value));
}

/** Negative, zero or positive, as Python orders the two; NaN if unordered. */
export function order(operator: string, a: Value, b: Value): number {
  const [left, right] = [numeric(a), numeric(b)];
  if (left !== null && right !== null) return left < right ? -1 : left > right ? 1 : left >= right ? 0 : Number.NaN;
  for (const value of [a, b]) checkUse(value);
  if (typeof a === "string" && typeof b === "string") return ordered(a) < ordered(b) ? -1 : a === b ? 0 : 1;
  if (itemsOf(a)) throw unsupported(`${operator} of a ${typeOf(a)}`);
  throw refusal(`'${operator}' not supported between instances of '${typeOf(a)}' and '${typeOf(b)}'`);
}

/** JavaScript orders the result by code points, as Python does: surrogates above all other units. */
function ordered(text: string): string {
  return text.replaceAll(/[\ud800-\udfff]/g, "\uffff$&");
}

function contains(container: Value, item: Value): boolean {
  if (is(container, "dict")) return container.get(item) !== undefined;
  if (typeof container !== "string") {
    for (const element of iterate(container)) if (isEqual(element, item)) return true;
    return false;
  }
  if (typeof item === "string") return container.includes(item);
  throw refusal(`'in <string>' requires string as left operand, not ${typeOf(item)}`);
}

export type Operator = (a: Value, b: Value) => Value;

export const comparisons: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ["==", isEqual],
  ["!=", (a, b) => !isEqual(a, b)],
  ["<", (a, b) => order("<", a, b) < 0],
  ["<=", (a, b) => order("<=", a, b) <= 0],
  [">", (a, b) => order(">", a, b) > 0],
  [">=", (a, b) => order(">=", a, b) >= 0],
  ["in", (a, b) => contains(b, a)],
  ["not in", (a, b) => !contains(b, a)],
]);

export function binary(operator: string): Operator {
  if (operator === "~") return (a, b) => concatenated(printed(a), printed(b));
  return (a, b) => arithmetic(operator, a, b);
}

export function signed(isNegative: boolean, value: Value): Value {
  checkUse(value);
  const number = numeric(value);
  if (number === null) throw refusal(`bad operand type for a sign: '${typeOf(value)}'`);
  return isNegative ? -number : number;
}

export function slice(value: Value, start: Value, stop: Value = null, step: Value = null): Value {
  checkUse(value);
  const source = typeof value === "string" ? characters(value) : itemsOf(value);
  const by = step === null ? 1 : integerOf(step);
  const bound = (position: Value): number | undefined => (position === null ? undefined : integerOf(position));
  if (source === null) throw unsupported(`a slice of a ${typeOf(value)}`);
  if (by === 0) throw refusal("slice step cannot be zero");
  if (by < 0 && (start !== null || stop !== null)) throw unsupported("a slice backwards between two positions");
  const part = by < 0 ? source.toReversed() : source.slice(bound(start), bound(stop));
  const items = part.filter((_, i) => i % by === 0);
  return typeof value === "string" ? (items as string[]).join("") : likeOf(value, items);
}
