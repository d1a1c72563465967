import { z } from "zod";
import { defineTool, type Tool } from "./tool.ts";

/** Model text may nest without limit. */
const maxDepth = 50;

/** Evaluates numbers, `+ - * / ^`, signs and brackets. */
export const calculator: Tool = defineTool({
  name: "calculator",
  description: "Evaluates an arithmetic expression with + - * / ^ and brackets.",
  parameters: z.object({ expression: z.string().max(1000) }),
  run: ({ expression }) => String(calculate(expression)),
});

/** @throws Error naming the invalid part */
export function calculate(expression: string): number {
  const parts = expression.match(/\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+|[-+*/^()]|\S/giu) ?? [];
  let index = 0;
  let depth = 0;
  const take = (...tokens: readonly string[]): string | undefined =>
    tokens.includes(parts[index] ?? "") ? parts[index++] : undefined;

  function sum(): number {
    let value = product();
    for (let sign = take("+", "-"); sign !== undefined; sign = take("+", "-"))
      value += sign === "+" ? product() : -product();
    return value;
  }
  function product(): number {
    let value = signed();
    for (let sign = take("*", "/"); sign !== undefined; sign = take("*", "/")) {
      const by = signed();
      if (sign === "/" && by === 0) throw new Error("division by zero");
      value = sign === "*" ? value * by : value / by;
    }
    return value;
  }
  function signed(): number {
    const sign = take("+", "-");
    return sign === undefined ? power() : nested(() => (sign === "-" ? -signed() : signed()));
  }
  function power(): number {
    const base = atom();
    return take("^") === undefined ? base : nested(() => base ** signed());
  }
  function atom(): number {
    if (take("(") !== undefined) {
      const value = nested(sum);
      if (take(")") === undefined) throw new Error(`expected ) at ${parts[index] ?? "the end"}`);
      return value;
    }
    const part = parts[index];
    const value = Number(part);
    if (part === undefined || !Number.isFinite(value)) throw new Error(`expected a number at ${part ?? "the end"}`);
    index += 1;
    return value;
  }
  function nested(inner: () => number): number {
    if (++depth > maxDepth) throw new Error(`it nests more than ${maxDepth} times`);
    const value = inner();
    depth -= 1;
    return value;
  }

  const value = sum();
  if (index < parts.length) throw new Error(`expected an operator at ${parts[index]}`);
  if (!Number.isFinite(value)) throw new Error("the value is no finite number");
  return value;
}
