import { Decimal } from "decimal.js";

/** Number, name, or function; a quoted name is a text. */
export type Expression = number | string | readonly Expression[] | { readonly num: string };

export function isCall(expression: Expression): expression is readonly Expression[] {
  return Array.isArray(expression);
}

export function partsOf(expression: Expression): readonly Expression[] {
  return isCall(expression) ? [expression, ...expression.slice(1).flatMap(partsOf)] : [expression];
}

const constants: ReadonlySet<string> = new Set(["Pi", "e", "i", "PositiveInfinity", "EmptySet", "RealNumbers"]);

export function isName(text: string): boolean {
  return !constants.has(text) && !text.startsWith("'");
}

export function namesOf(...expressions: readonly Expression[]): string[] {
  const parts = expressions.flatMap(partsOf);
  return [...new Set(parts.filter((part): part is string => typeof part === "string" && isName(part)))];
}

export function substituted(expression: Expression, name: string, value: Expression): Expression {
  if (expression === name) return value;
  if (!isCall(expression)) return expression;
  const [head, ...rest] = expression;
  return [head as string, ...rest.map((part) => substituted(part, name, value))];
}

/** Null for unknown names. */
export type Point = (name: string) => number | null;

interface Arithmetic<T> {
  /** @param text - digits, optionally with a decimal point */
  number(text: string): T | null;
  name(name: string): T | null;
  apply(head: string, values: readonly T[], args: readonly Expression[]): T | null;
}

/** Null if a part has no value. */
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

export type Rules<T> = Readonly<Record<string, (a: T, b: T) => T | null>>;

const folded: ReadonlySet<string> = new Set(["Add", "Multiply", "GCD", "LCM", "Max", "Min"]);

export function applied<T>(rules: Rules<T>, head: string, [first, ...others]: readonly T[]): T | null {
  const rule = rules[head];
  if (!rule || first === undefined) return null;
  if (!folded.has(head)) return rule(first, others[0] as T);
  return others.reduce<T | null>((all, value) => (all === null ? null : rule(all, value)), first);
}
