import { refusal, unsupported } from "./errors.ts";
import { checkUse, is, isList, itemsOf, typeOf, type Value } from "./values.ts";

/** Python's `str`, as filters and methods use it. */
export function textOf(value: Value): string {
  if (typeof value === "string") return value;
  if (is(value, "Undefined")) return "";
  checkUse(value);
  return reprOf(value);
}

/** What `{{ value }}` prints. */
export function printed(value: Value): string {
  return is(value, "Markup") ? value.text : textOf(value);
}

export function reprOf(value: Value): string {
  if (value === null) return "None";
  if (typeof value === "string") return quoted(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return floatText(value);
  if (is(value, "Undefined")) return value.type;
  if (is(value, "Namespace")) return `<Namespace ${reprOf(value.values)}>`;
  if (is(value, "dict")) {
    const pairs = value.entries().map(([key, item]) => `${reprOf(key)}: ${reprOf(item)}`);
    return `{${pairs.join(", ")}}`;
  }
  const type = typeOf(value);
  const items = itemsOf(value)?.map(reprOf);
  if (!items || type === "range") throw unsupported(`the printed form of a ${type}`);
  if (type === "tuple") return `(${items.join(", ")}${items.length === 1 ? "," : ""})`;
  return type === "list" ? `[${items.join(", ")}]` : `${type}([${items.join(", ")}])`;
}

/** Python's `repr` of a float: the shortest digits, an exponent below 1e-4 and from 1e16 on. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power < -4 || power >= 16) return `${digits}e${exponent.replace(/^([+-])(?=\d$)/, "$10")}`;
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replaceAll(/[\\\p{C}\p{Z}'"]/gu, (character) => {
    if (character === " ") return character;
    if ("\\\n\r\t".includes(character)) return JSON.stringify(character).slice(1, -1);
    if (character === "'" || character === '"') return character === quote ? `\\${character}` : character;
    const code = character.codePointAt(0) as number;
    const [letter, width] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
    return `\\${letter}${code.toString(16).padStart(width, "0")}`;
  });
  return quote + body + quote;
}

/** Options of the `tojson` filter of transformers. */
export interface JsonStyle {
  readonly ascii: boolean;
  /** Text of one level, or null for one line. */
  readonly indent: string | null;
  readonly separators: readonly [string, string];
}

/** Python's `json.dumps`. */
export function jsonText(value: Value, style: JsonStyle, margin = "\n"): string {
  const [between, colon] = style.separators;
  const inner = margin + (style.indent ?? "");
  const enclosed = (open: string, body: readonly string[], close: string): string => {
    if (body.length === 0 || style.indent === null) return open + body.join(between) + close;
    return open + inner + body.join(between + inner) + margin + close;
  };
  const nested = (item: Value): string => jsonText(item, style, inner);
  if (is(value, "dict")) {
    const keyText = (key: Value): string => jsonString(typeof key === "string" ? key : jsonScalar(key), style.ascii);
    const pairs = value.entries().map(([key, item]) => keyText(key) + colon + nested(item));
    return enclosed("{", pairs, "}");
  }
  if (isList(value)) return enclosed("[", value.map(nested), "]");
  if (typeOf(value) === "tuple") return jsonText(itemsOf(value), style, margin);
  const text = is(value, "Markup") ? value.text : value;
  return typeof text === "string" ? jsonString(text, style.ascii) : jsonScalar(text);
}

function jsonScalar(value: Value): string {
  if (typeof value === "bigint" || typeof value === "boolean" || value === null) return String(value);
  if (typeof value !== "number") throw refusal(`Object of type ${typeOf(value)} is not JSON serializable`);
  return Number.isFinite(value) ? floatText(value) : String(value);
}

function jsonString(text: string, ascii: boolean): string {
  const special = ascii ? /["\\]|[^ -~]/g : /["\\\0-\x1f]/g;
  const body = text.replaceAll(special, (unit) =>
    unit < "\x7f" ? JSON.stringify(unit).slice(1, -1) : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `"${body}"`;
}
