import { Decimal } from "decimal.js";

/** A number, a name, or a function with its arguments. A quoted name, `'cm'`, is a text. */
export type Expression = number | string | readonly Expression[] | { readonly num: string };

/** A function and its arguments. */
export function isCall(expression: Expression): expression is readonly Expression[] {
  return Array.isArray(expression);
}

/** An expression and all its parts. */
export function partsOf(expression: Expression): readonly Expression[] {
  return isCall(expression) ? [expression, ...expression.slice(1).flatMap(partsOf)] : [expression];
}

/** Names with a value of their own. */
const constants: ReadonlySet<string> = new Set(["Pi", "e", "i", "PositiveInfinity", "EmptySet", "RealNumbers"]);

/** Whether a text is a name without a value of its own. */
export function isName(text: string): boolean {
  return !constants.has(text) && !text.startsWith("'");
}

/** The names in expressions that have no value of their own. */
export function namesOf(...expressions: readonly Expression[]): string[] {
  const parts = expressions.flatMap(partsOf);
  return [...new Set(parts.filter((part): part is string => typeof part === "string" && isName(part)))];
}

/** An expression with another in the place of a name. */
export function substituted(expression: Expression, name: string, value: Expression): Expression {
  if (expression === name) return value;
  if (!isCall(expression)) return expression;
  const [head, ...rest] = expression;
  return [head as string, ...rest.map((part) => substituted(part, name, value))];
}

/** Values of names; null for a name that has none. */
export type Point = (name: string) => number | null;

interface Arithmetic<T> {
  /** @param text - digits, with a decimal point or without */
  number(text: string): T | null;
  name(name: string): T | null;
  apply(head: string, values: readonly T[], args: readonly Expression[]): T | null;
}

/** The value of an expression; null where a part of it has none. */
export function evaluate<T>(expression: Expression, arithmetic: Arithmetic<T>): T | null {
  if (typeof expression === "string") return arithmetic.name(expression);
  if (typeof expression === "number") return arithmetic.number(new Decimal(expression).toFixed());
  if (!isCall(expression)) return arithmetic.number(expression.num);
  const [head, ...args] = expression;
  const values: T[] = [];
  for (const part of args) {
    const value = evaluate(part, arithmetic);
    if (value === null) return null;
    values.push(value);
  }
  return arithmetic.apply(head as string, values, args);
}

/** Functions of one and two values, by name. */
export type Rules<T> = Readonly<Record<string, (a: T, b: T) => T | null>>;

const folded: ReadonlySet<string> = new Set(["Add", "Multiply", "GCD", "LCM", "Max", "Min"]);

/** Applies a function of a table; functions of any number of values fold them. */
export function applied<T>(rules: Rules<T>, head: string, [first, ...others]: readonly T[]): T | null {
  const rule = rules[head];
  if (!rule || first === undefined) return null;
  if (!folded.has(head)) return rule(first, others[0] as T);
  return others.reduce<T | null>((all, value) => (all === null ? null : rule(all, value)), first);
}
