import { refusal, unsupported } from "./errors.ts";
import { integerOf, isEqual, numeric } from "./operators.ts";
import { reprOf } from "./print.ts";
import { rejected, table } from "./signature.ts";
import { textMethods } from "./text.ts";
import { Dict, characters, checkUse, is, isList, itemsOf, limits, missing, tuple, typeOf } from "./values.ts";
import type { Arguments, Native, Value } from "./values.ts";

const sequenceMethods = new Map<string, Native>(
  table({
    "count(value, /)": (self, value) => BigInt((itemsOf(self) ?? []).filter((item) => isEqual(item, value)).length),
    "index(value, /)": (self, value) => {
      const position = (itemsOf(self) ?? []).findIndex((item) => isEqual(item, value));
      if (position < 0) throw refusal("the value is not in the list");
      return BigInt(position);
    },
  }),
);

const dictMethods = new Map<string, Native<Dict>>([
  ...rejected("the method dict.", "fromkeys"),
  ...table<Dict>({
    "copy()": (dict) => new Dict(dict.entries()),
    "get(key, default, /)": (dict, key, otherwise = null) => {
      const value = dict.get(key);
      return value === undefined ? otherwise : value;
    },
    "items()": (dict) => ({ type: "dict_items", items: dict.entries().map(tuple) }),
    "keys()": (dict) => ({ type: "dict_keys", items: dict.keys() }),
    "values()": (dict) => ({ type: "dict_values", items: dict.entries().map(([, value]) => value) }),
  }),
]);

/** Hidden by Jinja's immutable sandbox, so undefined. */
const hidden = new Map([
  ["list", "append clear extend insert pop remove reverse sort".split(" ")],
  ["dict", "clear pop popitem setdefault update".split(" ")],
]);

/** Other members of Python's objects, rejected by name. */
const rejectedMembers = new Map([
  ["list", "copy"],
  [
    "int",
    "as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag is_integer numerator real to_bytes",
  ],
  ["float", "as_integer_ratio conjugate fromhex hex imag is_integer real"],
  ["range", "start stop step"],
  ["dict_keys", "isdisjoint mapping"],
  ["dict_values", "mapping"],
  ["dict_items", "isdisjoint mapping"],
  ["generator", "close gi_code gi_frame gi_running gi_suspended gi_yieldfrom send throw"],
  ["function", "arguments caller catch_kwargs catch_varargs explicit_caller name"],
]);

function methodsOf(value: Value): ReadonlyMap<string, Native<never>> | undefined {
  if (typeof value === "string") return textMethods;
  if (is(value, "dict")) return dictMethods;
  return isList(value) || is(value, "tuple") || is(value, "range") ? sequenceMethods : undefined;
}

function attributeOf(value: Value, name: string): Value | undefined {
  if (is(value, "Namespace")) return value.values.get(name);
  if (is(value, "LoopContext")) return value.attribute(name);
  const method = methodsOf(value)?.get(name) as Native | undefined;
  if (method) return { type: "function", call: (call) => method(value, call) };
  const type = typeof value === "boolean" ? "int" : typeOf(value);
  if (hidden.get(type)?.includes(name)) return missing(`access to attribute '${name}' of '${type}' object is unsafe.`);
  if (rejectedMembers.get(type)?.split(" ").includes(name)) throw unsupported(`the member ${name} of a ${type}`);
  return undefined;
}

/** Element of `value[key]`; undefined if Python raises a lookup or type error. */
function elementOf(value: Value, key: Value): Value | undefined {
  if (is(value, "dict")) return isList(key) || is(key, "dict") ? undefined : value.get(key);
  const position = numeric(key);
  if (typeof position !== "bigint" || typeOf(value).startsWith("dict_")) return undefined;
  const items = typeof value === "string" ? characters(value) : itemsOf(value);
  return items?.at(Number(position));
}

/** Jinja's `value[key]`, and `value.key`, which prefers an attribute. */
export function memberOf(value: Value, key: Value, isDotted = false): Value {
  checkUse(value);
  const isPrivate = typeof key === "string" && key.startsWith("__");
  const attribute = (): Value | undefined =>
    typeof key === "string" && !isPrivate ? attributeOf(value, key) : undefined;
  const first = isDotted ? attribute() : elementOf(value, key);
  if (first !== undefined) return first;
  const second = isDotted ? elementOf(value, key) : attribute();
  if (second !== undefined && isPrivate) throw unsupported(`the key ${key}`);
  return second === undefined ? missing(`'${typeOf(value)} object' has no attribute ${reprOf(key)}`) : second;
}

function range(_self: unknown, { list, named }: Arguments): Value {
  if (list.length === 0 || list.length > 3 || named.size > 0) throw refusal("range() takes one to three arguments");
  const [first = 0, second, step = 1] = list.map(integerOf);
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  if (step === 0) throw refusal("range() arg 3 must not be zero");
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > limits.range) throw refusal(`a range of ${length} elements is too long: at most ${limits.range}`);
  return { type: "range", items: Array.from({ length }, (_, i) => BigInt(start + i * step)) };
}

function dictOf(_self: unknown, { list, named }: Arguments): Dict {
  const [source = [], ...others] = list;
  checkUse(source);
  if (others.length > 0) throw refusal(`dict expected at most 1 argument, got ${list.length}`);
  if (is(source, "dict")) return new Dict([...source.entries(), ...named]);
  if (is(source, "generator")) throw unsupported("dict() of a generator");
  const pairs = itemsOf(source)?.map(itemsOf);
  if (!pairs?.every((pair) => pair?.length === 2)) throw refusal(`cannot convert '${typeOf(source)}' object to a dict`);
  return new Dict([...(pairs as [Value, Value][]), ...named]);
}

function raiseException(_self: unknown, { list: [message = null] }: Arguments): never {
  throw refusal(typeof message === "string" ? message : reprOf(message));
}

export const globals: ReadonlyMap<string, Native<unknown>> = new Map<string, Native<unknown>>([
  ...rejected("the function ", "cycler joiner lipsum"),
  ["range", range],
  ["dict", dictOf],
  ["namespace", (_, call) => ({ type: "Namespace", values: dictOf(null, call) })],
  ["raise_exception", raiseException],
]);
