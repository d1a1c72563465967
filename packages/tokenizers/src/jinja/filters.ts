import { filter, needed, type Filter } from "./arguments.ts";
import { refusal, unsupported } from "./errors.ts";
import { percentFormat, ratio } from "./format.ts";
import { arithmetic, floatOf, integerOf, numeric } from "./operators.ts";
import { attributeOnly } from "./members.ts";
import { jsonText, textOf } from "./print.ts";
import { sequenceFilters } from "./sequence-filters.ts";
import { capitalized, justified, lines, parsedFloat, parsedInteger, replaced, stripped } from "./text-methods.ts";
import { whiteSpace } from "./characters.ts";
import { Dict, Markup, Tuple, Undefined, characters, isTrue, lengthOf, typeOf, type Value } from "./values.ts";

const s = { s: needed } as const;
const value = { value: needed } as const;

function absolute(input: Value): Value {
  const number = numeric(input);
  if (number === null)
    throw refusal(input instanceof Undefined ? input.hint : `bad operand type for abs(): '${typeOf(input)}'`);
  return typeof number === "bigint" ? (number < 0n ? -number : number) : Math.abs(number);
}

/** The `title` filter: unlike `str.title`, words begin behind white space and brackets only. */
function title(input: Value): Value {
  const parts = textOf(input).split(new RegExp(`([-${whiteSpace}({\\[<]+)`, "u"));
  return parts
    .map((part) => {
      const [first = "", ...rest] = characters(part);
      return first.toUpperCase() + rest.join("").toLowerCase();
    })
    .join("");
}

function indented(text: Value, width: Value, first: Value, blank: Value): Value {
  if (text instanceof Markup) textOf(text);
  if (typeof text !== "string") throw refusal(`indent of a ${typeOf(text)}`);
  const margin = typeof width === "string" ? width : " ".repeat(Math.max(0, integerOf(width)));
  const all = lines(`${text}\n`);
  const body = isTrue(blank)
    ? all.join(`\n${margin}`)
    : all.map((line, i) => (i > 0 && line !== "" ? margin + line : line)).join("\n");
  return isTrue(first) ? margin + body : body;
}

function truncate(text: Value, length: Value, killWords: Value, end: Value, leeway: Value): Value {
  const [most, spare, ending] = [integerOf(length), leeway === null ? 5 : integerOf(leeway), textOf(end)];
  const room = most - characters(ending).length;
  if (room < 0 || spare < 0) throw refusal("truncate: the length is below the length of the end");
  if (lengthOf(text) <= most + spare) return text;
  if (typeof text !== "string") throw refusal(`truncate of a ${typeOf(text)}`);
  const letters = characters(text);
  const cut = letters.slice(0, room).join("");
  const space = cut.lastIndexOf(" ");
  return (isTrue(killWords) || space < 0 ? cut : cut.slice(0, space)) + ending;
}

function toInteger(input: Value, otherwise: Value, base: Value): Value {
  if (input instanceof Undefined) throw refusal(input.hint);
  if (typeof input === "string") {
    const whole = parsedInteger(input, integerOf(base));
    if (whole !== null) return whole;
  }
  const number = typeof input === "string" ? parsedFloat(input) : numeric(input);
  if (number === null) return otherwise;
  if (typeof number === "bigint") return number;
  if (typeof input === "number" && !Number.isFinite(number) && !Number.isNaN(number))
    throw refusal("cannot convert float infinity to integer");
  return Number.isFinite(number) ? BigInt(Math.trunc(number)) : otherwise;
}

function toFloat(input: Value, otherwise: Value): Value {
  if (input instanceof Undefined) throw refusal(input.hint);
  const number = typeof input === "string" ? parsedFloat(input) : numeric(input);
  return number === null ? otherwise : floatOf(number);
}

function round(input: Value, precision: Value, method: Value): Value {
  if (method !== "common" && method !== "ceil" && method !== "floor")
    throw refusal("method must be common, ceil or floor");
  const number = numeric(input);
  if (number === null)
    throw refusal(input instanceof Undefined ? input.hint : `type ${typeOf(input)} cannot be rounded`);
  if (method === "common") {
    const places = precision === null && typeof number === "number" ? 0 : integerOf(precision);
    if (typeof number === "number") {
      const rounded = roundedTo(number, places);
      return precision === null ? BigInt(rounded) : rounded;
    }
    return places >= 0 ? number : roundedInteger(number, 10n ** BigInt(-places));
  }
  const factor = arithmetic("**", 10n, precision);
  const scaled = numeric(arithmetic("*", number, factor)) as bigint | number;
  if (typeof scaled === "number" && !Number.isFinite(scaled)) throw refusal("cannot convert float infinity to integer");
  const whole =
    typeof scaled === "bigint" ? scaled : BigInt(method === "ceil" ? Math.ceil(scaled) : Math.floor(scaled));
  return arithmetic("/", whole, factor);
}

/** A float rounded half to even at a decimal place, as Python rounds its exact value. */
function roundedTo(number: number, places: number): number {
  if (!Number.isFinite(number) || places > 400) return number;
  if (places < -400) return number < 0 ? -0 : 0;
  const [numerator, denominator] = ratio(number);
  const scale = 10n ** BigInt(Math.abs(places));
  const units = places >= 0 ? halfEven(numerator * scale, denominator) : halfEven(numerator, denominator * scale);
  return Number(`${number < 0 || Object.is(number, -0) ? "-" : ""}${units}e${-places}`);
}

function halfEven(numerator: bigint, denominator: bigint): bigint {
  const floor = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  return floor + (twice > denominator || (twice === denominator && floor % 2n === 1n) ? 1n : 0n);
}

function roundedInteger(number: bigint, unit: bigint): bigint {
  const units = halfEven(number < 0n ? -number : number, unit) * unit;
  return number < 0n ? -units : units;
}

/** The `tojson` filter as transformers replaces it: without HTML escapes, and with the options of `json.dumps`. */
function toJson(input: Value, ascii: Value, indent: Value, separators: Value, sortKeys: Value): Value {
  const pair = separators instanceof Tuple ? separators.items : separators;
  const texts = pair === null ? [indent === null ? ", " : ",", ": "] : (pair as readonly Value[]);
  if (!Array.isArray(texts) || texts.length !== 2 || !texts.every((text) => typeof text === "string"))
    throw refusal("tojson: separators are two texts");
  const margin = indent === null || typeof indent === "string" ? indent : " ".repeat(Math.max(0, integerOf(indent)));
  return jsonText(input, {
    ascii: isTrue(ascii),
    indent: margin,
    separators: texts as [string, string],
    sortKeys: isTrue(sortKeys),
  });
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&#39;",
  '"': "&#34;",
};
const escape = filter(s, (input) =>
  input instanceof Markup
    ? input
    : new Markup(textOf(input).replaceAll(/[&<>'"]/g, (sign) => entities[sign] as string)),
);
const isDefault = filter({ value: needed, default_value: "", boolean: false }, (input, otherwise, boolean) =>
  input instanceof Undefined || (isTrue(boolean) && !isTrue(input)) ? otherwise : input,
);
const rejected =
  (name: string): Filter =>
  () => {
    throw unsupported(`the filter ${name}`);
  };

/** Filters of Jinja by name. */
export const filters: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ...sequenceFilters,
  ["abs", filter(value, (input) => absolute(input))],
  [
    "attr",
    filter({ obj: needed, name: needed }, (object, name) => {
      if (typeof name !== "string") throw refusal("attr: the name is not a text");
      return attributeOnly(object, name);
    }),
  ],
  ["capitalize", filter(s, (input) => capitalized(textOf(input)))],
  [
    "center",
    filter({ value: needed, width: 80n }, (input, width) => justified(textOf(input), integerOf(width), "both")),
  ],
  ["d", isDefault],
  ["default", isDefault],
  ["e", escape],
  ["escape", escape],
  ["float", filter({ value: needed, default: 0 }, (input, otherwise) => toFloat(input, otherwise))],
  ["forceescape", escape],
  [
    "format",
    ({ list: [input, ...list], named }) => {
      if (list.length > 0 && named.size > 0)
        throw refusal("can't handle positional and keyword arguments at the same time");
      return percentFormat(textOf(input as Value), named.size > 0 ? new Dict(named) : new Tuple(list));
    },
  ],
  [
    "indent",
    filter({ s: needed, width: 4n, first: false, blank: false }, (...all) =>
      indented(...(all as [Value, Value, Value, Value])),
    ),
  ],
  ["int", filter({ value: needed, default: 0n, base: 10n }, (...all) => toInteger(...(all as [Value, Value, Value])))],
  ["lower", filter(s, (input) => textOf(input).toLowerCase())],
  [
    "replace",
    filter({ s: needed, old: needed, new: needed, count: null }, (input, from, to, count) =>
      replaced(textOf(input), textOf(from), textOf(to), count === null ? -1 : integerOf(count)),
    ),
  ],
  [
    "round",
    filter({ value: needed, precision: 0n, method: "common" }, (...all) => round(...(all as [Value, Value, Value]))),
  ],
  ["safe", filter(value, (input) => (input instanceof Markup ? input : new Markup(textOf(input))))],
  ["string", filter({ s: needed }, (input) => (input instanceof Markup ? input : textOf(input)))],
  ["title", filter(s, (input) => title(input))],
  [
    "tojson",
    filter({ x: needed, ensure_ascii: false, indent: null, separators: null, sort_keys: false }, (...all) =>
      toJson(...(all as [Value, Value, Value, Value, Value])),
    ),
  ],
  ["trim", filter({ value: needed, chars: null }, (input, set) => stripped(textOf(input), set, true, true))],
  [
    "truncate",
    filter({ s: needed, length: 255n, killwords: false, end: "...", leeway: null }, (...all) =>
      truncate(...(all as [Value, Value, Value, Value, Value])),
    ),
  ],
  ["upper", filter(s, (input) => textOf(input).toUpperCase())],
  ["wordcount", filter(s, (input) => BigInt(textOf(input).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0))],
  ...["filesizeformat", "pprint", "random", "striptags", "urlencode", "urlize", "wordwrap", "xmlattr"].map(
    (name): [string, Filter] => [name, rejected(name)],
  ),
]);
