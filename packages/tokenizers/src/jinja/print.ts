import { refusal, unsupported } from "./errors.ts";
import { Dict, Markup, Thing, Tuple, Undefined, typeOf, type Value } from "./values.ts";

/** Python's `str`, as filters and methods use it. */
export function textOf(value: Value): string {
  if (typeof value === "string") return value;
  if (value instanceof Undefined) return "";
  if (value instanceof Markup) throw unsupported("a text marked as safe or escaped other than for printing");
  return reprOf(value);
}

/** What `{{ value }}` prints. */
export function printed(value: Value): string {
  return value instanceof Markup ? value.text : textOf(value);
}

/** Python's `repr`. */
export function reprOf(value: Value): string {
  if (value === null) return "None";
  if (typeof value === "string") return quoted(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return floatText(value);
  return value instanceof Thing ? value.repr(reprOf) : `[${value.map(reprOf).join(", ")}]`;
}

/** Python's `repr` of a float: the shortest digits, an exponent below 1e-4 and from 1e16 on. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power < -4 || power >= 16) {
    const sign = power < 0 ? "-" : "+";
    return `${digits}e${sign}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  const plain = String(value);
  return plain.includes(".") ? plain : `${plain}.0`;
}

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replaceAll(/[\\\p{C}\p{Z}'"]/gu, (character) => {
    if (character === " ") return character;
    if (character === "'" || character === '"') return character === quote ? `\\${character}` : character;
    return short[character] ?? escaped(character.codePointAt(0) as number);
  });
  return quote + body + quote;
}

function escaped(code: number): string {
  const [letter, width] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${letter}${code.toString(16).padStart(width, "0")}`;
}

/** Options of the `tojson` filter of transformers. */
export interface JsonStyle {
  readonly ascii: boolean;
  /** Text of one level, or null for one line. */
  readonly indent: string | null;
  readonly separators: readonly [string, string];
  readonly sortKeys: boolean;
}

/** Python's `json.dumps`. */
export function jsonText(value: Value, style: JsonStyle, level = 0): string {
  const inside = (body: readonly string[], [open, close]: readonly [string, string]): string => {
    if (body.length === 0) return open + close;
    if (style.indent === null) return open + body.join(style.separators[0]) + close;
    const [outer, inner] = [level, level + 1].map((depth) => `\n${(style.indent as string).repeat(depth)}`);
    return `${open}${inner}${body.join(style.separators[0] + inner)}${outer}${close}`;
  };
  const deeper = (inner: Value): string => jsonText(inner, style, level + 1);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return jsonString(value, style.ascii);
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return jsonFloat(value);
  if (Array.isArray(value) || value instanceof Tuple)
    return inside((value instanceof Tuple ? value.items : (value as readonly Value[])).map(deeper), ["[", "]"]);
  if (value instanceof Dict) {
    const entries = Array.from(value.entries.values());
    if (style.sortKeys) sortByKey(entries);
    return inside(
      entries.map(([key, inner]) => `${jsonString(jsonKey(key), style.ascii)}${style.separators[1]}${deeper(inner)}`),
      ["{", "}"],
    );
  }
  if (value instanceof Markup) return jsonString(value.text, style.ascii);
  throw refusal(`Object of type ${typeOf(value)} is not JSON serializable`);
}

function jsonFloat(value: number): string {
  if (Number.isFinite(value)) return floatText(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

function jsonKey(key: Value): string {
  if (typeof key === "string") return key;
  if (typeof key === "number") return jsonFloat(key);
  if (typeof key === "bigint" || typeof key === "boolean" || key === null) return String(key);
  throw refusal(`keys must be str, int, float, bool or None, not ${typeOf(key)}`);
}

function sortByKey(entries: (readonly [Value, Value])[]): void {
  if (!entries.every(([key]) => typeof key === "string")) throw unsupported("sort_keys with keys that are not texts");
  entries.sort(([a], [b]) => codePointOrder(a as string, b as string));
}

/** Order of Python's strings: by code point, where JavaScript compares UTF-16 units. */
export function codePointOrder(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = ((left[i] as string).codePointAt(0) as number) - ((right[i] as string).codePointAt(0) as number);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

const jsonShort: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\f": "\\f",
  "\b": "\\b",
};

function jsonString(text: string, ascii: boolean): string {
  const special = ascii ? /["\\]|[^ -~]/g : /["\\\u0000-\u001f]/g;
  const body = text.replaceAll(
    special,
    (unit) => jsonShort[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `"${body}"`;
}
