import { wordTable } from "@laconic/core/checks";
import { isCall, type Expression } from "../numbers/expression.ts";
import { functions } from "./latex-commands.ts";

/** Roots, quotients, powers of e, and logarithms with a base, which stand for the functions that they define. */
const defined: Readonly<Record<string, (a: Expression) => Expression>> = wordTable({
  Exp: (a) => ["Power", "e", a],
  Lg: (a) => ["Log", a, 10],
  Ceil: (a) => ["Negate", ["Floor", ["Negate", a]]],
  Sec: (a) => ["Divide", 1, ["Cos", a]],
  Csc: (a) => ["Divide", 1, ["Sin", a]],
  Cot: (a) => ["Divide", ["Cos", a], ["Sin", a]],
  Arccot: (a) => ["Add", ["Divide", "Pi", 2], ["Negate", ["Arctan", a]]],
});

/** A function by the names that calculations know. */
export function called(head: string, ...args: readonly Expression[]): Expression {
  return defined[head]?.(args[0] ?? 0) ?? [head, ...args];
}

/** A command such as `\log` with its argument, its base and the power between them. */
export function applied(
  command: string,
  argument: Expression,
  base: Expression | null,
  power: Expression | null,
): Expression {
  const head = functions[command] as string;
  const isInverse = JSON.stringify(power) === '["Negate",1]';
  if (isInverse && head !== "Log" && head !== "Ln") return called(`Arc${head.toLowerCase()}`, argument);
  const isPair = head === "Log" && base === null && isCall(argument) && argument[0] === "Sequence";
  const args = isPair && argument.length === 3 ? argument.slice(1) : [argument, ...(base === null ? [] : [base])];
  const value = called(head, ...args);
  return power === null ? value : ["Power", value, power];
}

/**
 * Factors without a sign between them: a product, a mixed number such as `2\frac13`, or the binomial coefficient `C(8, 3)`.
 * @param isWritten - whether the first is digits and the second in no parentheses
 */
export function implicitProduct(factors: readonly Expression[], isWritten: boolean): Expression {
  const [first = 0, second = 0] = factors;
  if (factors.length === 1) return first;
  if (factors.length > 2 || !isCall(second)) return ["Multiply", ...factors];
  const [head, ...args] = second;
  const [a, b] = args.map(Number);
  const areWhole = args.length === 2 && args.every((each) => Number.isInteger(each));
  if (first === "C" && head === "Sequence" && areWhole) return ["Binomial", ...args];
  const isProper = head === "Divide" && areWhole && (a as number) > 0 && (a as number) < (b as number);
  return [isWritten && isProper ? "Add" : "Multiply", ...factors];
}
