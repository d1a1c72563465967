import { binary, comparisons, isEqual, numeric, type Operator } from "./operators.ts";
import { rejected, table } from "./signature.ts";
import { is, isList, iteratorOf, typeOf, type Native } from "./values.ts";

const modulo = binary("%");
const aliases = {
  eq: "==",
  equalto: "==",
  ne: "!=",
  lt: "<",
  lessthan: "<",
  le: "<=",
  gt: ">",
  greaterthan: ">",
  ge: ">=",
};
const compared: Iterable<readonly [string, Operator]> = [
  ...comparisons,
  ...Object.entries(aliases).map(([name, operator]) => [name, comparisons.get(operator)!] as const),
];

export const tests: ReadonlyMap<string, Native> = new Map<string, Native>([
  ...rejected("the test ", "escaped filter lower sameas test upper"),
  ...table(Object.fromEntries(Array.from(compared, ([name, compare]) => [`${name}(b)`, compare]))),
  ...table({
    "boolean()": (value) => typeof value === "boolean",
    "callable()": (value) => is(value, "function") || is(value, "Undefined"),
    "defined()": (value) => !is(value, "Undefined"),
    "divisibleby(num)": (value, divisor) => isEqual(modulo(value, divisor), 0n),
    "even()": (value) => isEqual(modulo(value, 2n), 0n),
    "false()": (value) => value === false,
    "float()": (value) => typeof value === "number",
    "integer()": (value) => typeof value === "bigint",
    "iterable()": (value) => iteratorOf(value) !== null,
    "mapping()": (value) => is(value, "dict"),
    "none()": (value) => value === null,
    "number()": (value) => numeric(value) !== null,
    "odd()": (value) => isEqual(modulo(value, 2n), 1n),
    "sequence()": (value) => isList(value) || ["str", "tuple", "range", "dict", "Undefined"].includes(typeOf(value)),
    "string()": (value) => typeof value === "string" || is(value, "Markup"),
    "true()": (value) => value === true,
    "undefined()": (value) => is(value, "Undefined"),
  }),
]);
