import { refusal, unsupported } from "./errors.ts";
import { memberOf } from "./members.ts";
import { integerOf, isEqual, numeric, order } from "./operators.ts";
import { jsonText, textOf } from "./print.ts";
import { rejected, table } from "./signature.ts";
import { tests } from "./tests.ts";
import { capitalized, joined, lines, replaced, stripped, whiteSpace } from "./text.ts";
import { characters, checkUse, is, isTrue, iterate, listOf, missing, sizeOf, tuple, typeOf } from "./values.ts";
import type { Arguments, Native, Value } from "./values.ts";

type Getter = (item: Value) => Value;

/** Reads a dotted attribute, such as `address.city` or `0.name`; None gives the item. */
function getter(attribute: Value = null, otherwise: Value = null): Getter {
  if (attribute === null) return (item) => item;
  const path = typeof attribute === "string" ? attribute.split(".") : [attribute];
  const keys = path.map((part) => (typeof part === "string" && /^\d+$/.test(part) ? BigInt(part) : part));
  return (item) =>
    keys.reduce((value, key) => {
      const member = memberOf(value, key);
      return otherwise !== null && is(member, "Undefined") ? otherwise : member;
    }, item);
}

/** Sorts by an attribute, case-insensitive by default; stable in both directions. */
function sorted(items: readonly Value[], attribute: Value, isReversed: Value, isSensitive: Value): Value[] {
  if (typeof attribute === "string" && attribute.includes(",")) throw unsupported("sorting by several attributes");
  const get = getter(attribute);
  const keyed = items.map((item) => {
    const key = get(item);
    return { item, key: typeof key === "string" && !isTrue(isSensitive) ? key.toLowerCase() : key };
  });
  const direction = isTrue(isReversed) ? -1 : 1;
  keyed.sort((a, b) => (isEqual(a.key, b.key) ? 0 : order("<", a.key, b.key) * direction));
  return keyed.map(({ item }) => item);
}

function dictSort(input: Value, isSensitive: Value = false, by: Value = "key", isReversed: Value = false): Value {
  checkUse(input);
  if (by !== "key") throw unsupported("dictsort by anything but the key");
  if (!is(input, "dict")) throw refusal(`dictsort of a ${typeOf(input)}`);
  return sorted(input.entries().map(tuple), 0n, isReversed, isSensitive);
}

function reversed(input: Value): Value {
  if (typeof input === "string") return characters(input).toReversed().join("");
  const items = listOf(input).toReversed();
  return is(input, "generator") ? items : { type: "generator", iterator: items.values() };
}

function last(input: Value): Value {
  checkUse(input);
  if (is(input, "generator")) throw refusal("'generator' object is not reversible");
  const items = listOf(input);
  return items.length > 0 ? (items.at(-1) as Value) : missing("No last item, sequence was empty.");
}

function first(input: Value): Value {
  for (const item of iterate(input)) return item;
  return missing("No first item, sequence was empty.");
}

function length(input: Value): Value {
  const size = sizeOf(input);
  if (size === null) throw refusal(`object of type '${typeOf(input)}' has no len()`);
  return BigInt(size);
}

/** Raises when it is read, as in Jinja. */
function* pairs(input: Value): Generator<Value> {
  if (is(input, "Undefined")) return;
  if (!is(input, "dict")) throw refusal("Can only get item pairs from a mapping.");
  yield* input.entries().map(tuple);
}

function lazily(make: (call: Arguments) => (item: Value) => readonly Value[]): Native {
  return (input, call) => {
    const run = function* (): Generator<Value> {
      if (!isTrue(input)) return;
      const itemsFrom = make(call);
      for (const item of iterate(input)) yield* itemsFrom(item);
    };
    return { type: "generator", iterator: run() };
  };
}

function mapped({ list: [name, ...list], named }: Arguments): (item: Value) => readonly Value[] {
  if (name === undefined && named.has("attribute")) {
    if (named.size > (named.has("default") ? 2 : 1)) throw refusal("map takes attribute and default");
    const get = getter(named.get("attribute"), named.get("default"));
    return (item) => [get(item)];
  }
  const run = filters.get(name as string);
  if (!run) throw refusal(`no filter named ${textOf(name ?? null)}`);
  return (item) => [run(item, { list, named })];
}

function selecting(isWanted: boolean, hasAttribute: boolean): Native {
  return lazily(({ list, named }) => {
    const [attribute = null, name, ...rest] = hasAttribute ? list : [null, ...list];
    const run = name === undefined ? isTrue : tests.get(name as string);
    if (attribute === null && hasAttribute) throw refusal("Missing parameter for attribute name");
    if (!run) throw refusal(`no test named ${textOf(name ?? null)}`);
    const get = getter(attribute);
    return (item) => (isTrue(run(get(item), { list: rest, named })) === isWanted ? [item] : []);
  });
}

/** Unlike `str.title`, words start only after white space and brackets. */
function title(input: Value): Value {
  return textOf(input).replaceAll(new RegExp(`[^-${whiteSpace}({\\[<]+`, "gu"), (word) => {
    const [initial = "", ...rest] = characters(word);
    return initial.toUpperCase() + rest.join("").toLowerCase();
  });
}

function marginOf(width: Value): string {
  return typeof width === "string" ? width : " ".repeat(Math.max(0, integerOf(width)));
}

function indented(text: Value, width: Value = 4n, isFirst: Value = false, isBlank: Value = false): Value {
  checkUse(text);
  if (typeof text !== "string") throw refusal(`indent of a ${typeOf(text)}`);
  const margin = marginOf(width);
  const body = lines(`${text}\n`).map((line, i) => (i > 0 && (line !== "" || isTrue(isBlank)) ? margin + line : line));
  return (isTrue(isFirst) ? margin : "") + joined("\n", body);
}

function toInteger(input: Value, otherwise: Value = 0n): Value {
  checkUse(input);
  if (typeof input === "number") return BigInt(Math.trunc(input));
  if (typeof input !== "string") return numeric(input) ?? otherwise;
  if (!/\p{Nd}/u.test(input)) return otherwise;
  if (!/^[+-]?[0-9]+$/.test(stripped(input))) throw unsupported(`the string ${JSON.stringify(input)} as an int`);
  return BigInt(stripped(input).replace("+", ""));
}

/** `tojson` of transformers: without HTML escapes, with the options of `json.dumps`. */
function toJson(input: Value, ascii: Value = false, indent: Value = null, separators: Value = null): Value {
  const texts = separators === null ? [indent === null ? ", " : ",", ": "] : listOf(separators);
  if (texts.length !== 2 || !texts.every((text) => typeof text === "string" && /^[ -~]*$/.test(text)))
    throw unsupported("separators of tojson other than two ASCII strings");
  const json = jsonText(input, indent === null ? null : marginOf(indent), texts as string[]);
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return isTrue(ascii) ? json.replaceAll(/[\x7f-\uffff]/g, escaped) : json;
}

function defaulted(input: Value, otherwise: Value = "", boolean: Value = false): Value {
  return is(input, "Undefined") || (isTrue(boolean) && !isTrue(input)) ? otherwise : input;
}

const rejectedFilters = `abs attr batch center e escape filesizeformat float forceescape format groupby max min pprint random
  round slice striptags sum truncate unique urlencode urlize wordcount wordwrap xmlattr`;

export const filters: ReadonlyMap<string, Native> = new Map<string, Native>([
  ...rejected("the filter ", rejectedFilters),
  ...table({
    "capitalize()": (input) => capitalized(textOf(input)),
    "count()": length,
    "d(default_value, boolean)": defaulted,
    "default(default_value, boolean)": defaulted,
    "dictsort(case_sensitive, by, reverse)": dictSort,
    "first()": first,
    "indent(width, first, blank)": indented,
    "int(default)": toInteger,
    "items()": (input) => ({ type: "generator", iterator: pairs(input) }),
    "join(d, attribute)": (input, separator = "", attribute = null) =>
      joined(textOf(separator), listOf(input).map(getter(attribute)).map(textOf)),
    "last()": last,
    "length()": length,
    "list()": listOf,
    "lower()": (input) => textOf(input).toLowerCase(),
    "replace(old, new, count)": (input, old, replacement, count = null) =>
      replaced(textOf(input), textOf(old), textOf(replacement), count ?? -1n),
    "reverse()": reversed,
    "safe()": (input) => (is(input, "Markup") ? input : { type: "Markup", text: textOf(input) }),
    "sort(reverse, case_sensitive, attribute)": (input, isReversed = false, isSensitive = false, attribute = null) =>
      sorted(listOf(input), attribute, isReversed, isSensitive),
    "string()": (input) => (is(input, "Markup") ? input : textOf(input)),
    "title()": title,
    "tojson(ensure_ascii, indent, separators)": toJson,
    "trim(chars)": (input, set = null) => stripped(textOf(input), set),
    "upper()": (input) => textOf(input).toUpperCase(),
  }),
  ["map", lazily(mapped)],
  ["reject", selecting(false, false)],
  ["rejectattr", selecting(false, true)],
  ["select", selecting(true, false)],
  ["selectattr", selecting(true, true)],
]);
