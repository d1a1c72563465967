import { refusal, unsupported } from "./errors.ts";
import { codePointOrder, textOf } from "./print.ts";
import {
  Dict,
  DictView,
  Markup,
  Range,
  Thing,
  Tuple,
  Undefined,
  bounded,
  characters,
  hashOf,
  iterate,
  lengthOf,
  typeOf,
  type Value,
} from "./values.ts";
import { percentFormat } from "./format.ts";

type Numeric = bigint | number;

/** An int or float, with True as 1; null for other values. */
export function numeric(value: Value): Numeric | null {
  if (typeof value === "boolean") return value ? 1n : 0n;
  return typeof value === "bigint" || typeof value === "number" ? value : null;
}

/** The value of an int as a position or count. */
export function integerOf(value: Value): number {
  const number = numeric(value);
  if (typeof number !== "bigint") throw refusal(`'${typeOf(value)}' object cannot be interpreted as an integer`);
  const position = Number(number);
  if (!Number.isSafeInteger(position)) throw unsupported(`the position or count ${number}`);
  return position;
}

/** @throws LaconicError for an int beyond the range of floats. */
export function floatOf(value: Numeric): number {
  const float = Number(value);
  if (typeof value === "bigint" && !Number.isFinite(float)) throw refusal("int too large to convert to float");
  return float;
}

export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**";

/** Python's arithmetic. */
export function arithmetic(operator: BinaryOperator, a: Value, b: Value): Value {
  const [left, right] = [numeric(a), numeric(b)];
  if (left !== null && right !== null) {
    if (typeof left === "bigint" && typeof right === "bigint") return integers(operator, left, right);
    return floats(operator, floatOf(left), floatOf(right));
  }
  if (a instanceof Undefined) throw refusal(a.hint);
  if (b instanceof Undefined && !(operator === "%" && typeof a === "string")) throw refusal(b.hint);
  if (a instanceof Markup || b instanceof Markup) textOf(a instanceof Markup ? a : b);
  if (operator === "%" && typeof a === "string") return percentFormat(a, b);
  if (operator === "+" && typeOf(a) === typeOf(b)) {
    if (typeof a === "string") return a + (b as string);
    const joined = (x: readonly Value[], y: readonly Value[]): Value[] =>
      bounded(x.length + y.length, () => x.concat(y));
    if (Array.isArray(a)) return joined(a as readonly Value[], b as readonly Value[]);
    if (a instanceof Tuple) return new Tuple(joined(a.items, (b as Tuple).items));
  }
  if (operator === "*" && (typeof left === "bigint" || typeof right === "bigint")) {
    const [sequence, count] = typeof right === "bigint" ? [a, b] : [b, a];
    const times = Math.max(0, integerOf(count));
    if (typeof sequence === "string") return bounded(sequence.length * times, () => sequence.repeat(times));
    const items = Array.isArray(sequence) ? (sequence as Value[]) : sequence instanceof Tuple ? sequence.items : null;
    if (items !== null) {
      const all = bounded(items.length * times, () =>
        Array.from({ length: items.length * times }, (_, i) => items[i % items.length] as Value),
      );
      return sequence instanceof Tuple ? new Tuple(all) : all;
    }
  }
  if (a instanceof DictView && operator === "-") throw unsupported(`the difference of ${a.type}`);
  throw refusal(`unsupported operand type(s) for ${operator}: '${typeOf(a)}' and '${typeOf(b)}'`);
}

function integers(operator: BinaryOperator, a: bigint, b: bigint): Value {
  if (b === 0n && (operator === "/" || operator === "//" || operator === "%"))
    throw refusal(operator === "/" ? "division by zero" : "integer division or modulo by zero");
  const remainder = (): bigint => {
    const rest = a % b;
    return rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest;
  };
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return nearestQuotient(a, b);
    case "//":
      return (a - remainder()) / b;
    case "%":
      return remainder();
    case "**":
      if (b < 0n) return floats("**", floatOf(a), floatOf(b));
      if (b * BigInt(a.toString(2).length) > 1_000_000n) throw refusal("a power of a million bits is too large");
      return a ** b;
  }
}

/** The float nearest to the exact quotient. */
function nearestQuotient(a: bigint, b: bigint): number {
  const [numerator, denominator] = [a < 0n ? -a : a, b < 0n ? -b : b];
  const shift = Math.max(0, denominator.toString(2).length - numerator.toString(2).length + 66);
  const scaled = numerator << BigInt(shift);
  // A last bit for the rest, so that the conversion rounds once.
  const digits = ((scaled / denominator) << 1n) | (scaled % denominator === 0n ? 0n : 1n);
  if (shift > 1000) throw unsupported("a division with a quotient near zero");
  const result = floatOf(digits) / 2 ** (shift + 1);
  return a < 0n !== b < 0n ? -result : result;
}

function floats(operator: BinaryOperator, a: number, b: number): number {
  if (b === 0 && (operator === "/" || operator === "//" || operator === "%"))
    throw refusal(operator === "/" ? "float division by zero" : "float floor division or modulo by zero");
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "//":
      return floored(a, b).quotient;
    case "%":
      return floored(a, b).rest;
    case "**":
      return power(a, b);
  }
}

/** Quotient and rest as CPython computes them. */
function floored(a: number, b: number): { readonly quotient: number; readonly rest: number } {
  let rest = a % b;
  let quotient = (a - rest) / b;
  if (rest === 0) rest = b < 0 ? -0 : 0;
  else if (rest < 0 !== b < 0) {
    rest += b;
    quotient -= 1;
  }
  if (quotient === 0) return { rest, quotient: a / b < 0 ? -0 : 0 };
  const floor = Math.floor(quotient);
  return { rest, quotient: quotient - floor > 0.5 ? floor + 1 : floor };
}

/** A power whose exact value is a float: the last digit of others depends on the C library. */
function power(base: number, exponent: number): number {
  if (base === 0 && exponent < 0) throw refusal("0.0 cannot be raised to a negative power");
  const result = base ** exponent;
  const exact = exponent >= 0 && Number.isInteger(base) ? Number.isSafeInteger(result) : exponent === 1;
  const ofTwo = Math.abs(base) > 0 && Number.isInteger(Math.log2(Math.abs(base))) && Math.abs(result) > 1e-300;
  if (Number.isInteger(exponent) && Number.isFinite(result) && (exact || ofTwo || exponent === 0)) return result;
  throw unsupported("a power that is not exact");
}

export function negative(value: Value): Value {
  const number = numeric(value);
  if (number === null) throw unary("-", value);
  return -number;
}

export function positive(value: Value): Value {
  const number = numeric(value);
  if (number === null) throw unary("+", value);
  return number;
}

function unary(operator: string, value: Value): Error {
  return refusal(
    value instanceof Undefined ? value.hint : `bad operand type for unary ${operator}: '${typeOf(value)}'`,
  );
}

/** Python's `==`. */
export function isEqual(a: Value, b: Value): boolean {
  const [left, right] = [numeric(a), numeric(b)];
  if (left !== null && right !== null) return order(left, right) === 0;
  if (a instanceof Undefined) return b instanceof Undefined;
  if (a instanceof Tuple && b instanceof Tuple) return sameItems(a.items, b.items);
  if (Array.isArray(a) && Array.isArray(b)) return sameItems(a as readonly Value[], b as readonly Value[]);
  if (a instanceof Dict && b instanceof Dict) {
    if (a.entries.size !== b.entries.size) return false;
    return Array.from(a.entries).every(([hash, [, value]]) => {
      const other = b.entries.get(hash);
      return other !== undefined && isEqual(value, other[1]);
    });
  }
  if (a instanceof Range && b instanceof Range) return sameItems([...a.iterate()], [...b.iterate()]);
  if (a instanceof Markup || b instanceof Markup) textOf(a instanceof Markup ? a : b);
  if (a instanceof DictView && b instanceof DictView) throw unsupported(`a comparison of ${a.type}`);
  return a === b;
}

function sameItems(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i] || isEqual(item, b[i] as Value));
}

/** Below zero, zero or above, as Python orders the two; NaN where no order holds. */
export function order(a: Value, b: Value, operator = "<"): number {
  const [left, right] = [numeric(a), numeric(b)];
  if (left !== null && right !== null) {
    if (left < right) return -1;
    return left > right ? 1 : left >= right ? 0 : Number.NaN;
  }
  for (const value of [a, b]) if (value instanceof Undefined) throw refusal(value.hint);
  if (typeof a === "string" && typeof b === "string") return codePointOrder(a, b);
  const [first, second] = [a, b].map((value) => (value instanceof Tuple ? value.items : value));
  if (Array.isArray(first) && Array.isArray(second) && typeOf(a) === typeOf(b)) {
    const [x, y] = [first as readonly Value[], second as readonly Value[]];
    const difference = x.findIndex((item, i) => i >= y.length || !isEqual(item, y[i] as Value));
    if (difference >= 0 && difference < y.length)
      return order(x[difference] as Value, y[difference] as Value, operator);
    return x.length - y.length;
  }
  if (a instanceof Markup || b instanceof Markup) textOf(a instanceof Markup ? a : b);
  if (a instanceof DictView) throw unsupported(`a comparison of ${a.type}`);
  throw refusal(`'${operator}' not supported between instances of '${typeOf(a)}' and '${typeOf(b)}'`);
}

export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";

export function compare(operator: Comparison, a: Value, b: Value): boolean {
  switch (operator) {
    case "==":
      return isEqual(a, b);
    case "!=":
      return !isEqual(a, b);
    case "<":
      return order(a, b, operator) < 0;
    case "<=":
      return order(a, b, operator) <= 0;
    case ">":
      return order(a, b, operator) > 0;
    case ">=":
      return order(a, b, operator) >= 0;
    case "in":
      return contains(b, a);
    case "not in":
      return !contains(b, a);
  }
}

/** Python's `item in container`. */
export function contains(container: Value, item: Value): boolean {
  if (typeof container === "string") {
    if (typeof item === "string") return container.includes(item);
    throw refusal(`'in <string>' requires string as left operand, not ${typeOf(item)}`);
  }
  if (container instanceof Dict) return container.entries.has(hashOf(item));
  if (!(container instanceof Thing) && !Array.isArray(container))
    throw refusal(`argument of type '${typeOf(container)}' is not iterable`);
  const iterator = iterate(container);
  for (let next = iterator.next(); !next.done; next = iterator.next())
    if (next.value === item || isEqual(next.value, item)) return true;
  return false;
}

/** Whether a slice has a sequence and integer bounds. */
export function isSliceable(value: Value, bounds: readonly (Value | undefined)[]): boolean {
  return (
    (typeof value === "string" || Array.isArray(value) || value instanceof Tuple || value instanceof Range) &&
    bounds.every((bound) => bound === undefined || bound === null || typeof numeric(bound) === "bigint")
  );
}

/** Python's `sequence[start:stop:step]`. */
export function slice(value: Value, bounds: readonly (Value | undefined)[]): Value {
  if (value instanceof Undefined) throw refusal(value.hint);
  if (value instanceof Markup) textOf(value);
  const source = typeof value === "string" ? characters(value) : value instanceof Tuple ? value.items : value;
  if (!Array.isArray(source) && !(value instanceof Range))
    throw refusal(`'${typeOf(value)}' object is not subscriptable by a slice`);
  const [start, stop, step] = bounds.map((bound) => {
    if (bound === undefined || bound === null) return undefined;
    if (typeof numeric(bound) !== "bigint") throw refusal("slice indices must be integers or None");
    return Number(numeric(bound));
  });
  const [first, last, by] = clampedBounds(lengthOf(value), start, stop, step ?? 1);
  if (value instanceof Range)
    return new Range(value.start + first * value.step, value.start + last * value.step, value.step * by);
  const items: Value[] = [];
  for (let i = first; by > 0 ? i < last : i > last; i += by) items.push((source as readonly Value[])[i] as Value);
  if (typeof value === "string") return (items as string[]).join("");
  return value instanceof Tuple ? new Tuple(items) : items;
}

/** First position, position at which the slice ends, and step. */
function clampedBounds(
  length: number,
  start: number | undefined,
  stop: number | undefined,
  step: number,
): readonly [number, number, number] {
  if (step === 0) throw refusal("slice step cannot be zero");
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1];
  const clamped = (bound: number): number => Math.min(high, Math.max(low, bound < 0 ? bound + length : bound));
  const first = start === undefined ? (step > 0 ? low : high) : clamped(start);
  const last = stop === undefined ? (step > 0 ? high : low) : clamped(stop);
  return [first, last, step];
}
