import { refusal, unsupported } from "./errors.ts";
import { checkUse, is, isList, itemsOf, typeOf, type Value } from "./values.ts";

/** Python's `str`, as filters and methods use it. */
export function textOf(value: Value): string {
  if (typeof value === "string") return value;
  if (is(value, "Undefined")) return "";
  checkUse(value);
  return reprOf(value);
}

/** Output of `{{ value }}`. */
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

/** Python's `repr`: the shortest digits, with an exponent below 1e-4 and from 1e16. */
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
    const code = character.codePointAt(0)!;
    const [letter, width] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
    return `\\${letter}${code.toString(16).padStart(width, "0")}`;
  });
  return quote + body + quote;
}

/**
 * Python's `json.dumps`.
 * @param indent - text of one level, or null for one line
 * @param separators - between items, and after a key
 * @param margin - line end and indentation of the value
 */
export function jsonText(value: Value, indent: string | null, separators: readonly string[], margin = "\n"): string {
  const [between = "", colon = ""] = separators;
  const inner = margin + (indent ?? "");
  const enclosed = (open: string, body: readonly string[], close: string): string => {
    if (body.length === 0 || indent === null) return open + body.join(between) + close;
    return open + inner + body.join(between + inner) + margin + close;
  };
  const nested = (item: Value): string => jsonText(item, indent, separators, inner);
  if (is(value, "dict")) {
    const keyText = (key: Value): string => jsonString(typeof key === "string" ? key : jsonScalar(key));
    const pairs = value.entries().map(([key, item]) => keyText(key) + colon + nested(item));
    return enclosed("{", pairs, "}");
  }
  if (isList(value) || typeOf(value) === "tuple") return enclosed("[", (itemsOf(value) ?? []).map(nested), "]");
  const text = is(value, "Markup") ? value.text : value;
  return typeof text === "string" ? jsonString(text) : jsonScalar(text);
}

function jsonScalar(value: Value): string {
  if (typeof value === "bigint" || typeof value === "boolean" || value === null) return String(value);
  if (typeof value !== "number") throw refusal(`Object of type ${typeOf(value)} is not JSON serializable`);
  return Number.isFinite(value) ? floatText(value) : String(value);
}

/** Without the escapes of lone surrogates that `JSON.stringify` writes. */
function jsonString(text: string): string {
  return `"${text.replaceAll(/["\\\0-\x1f]/g, (character) => JSON.stringify(character).slice(1, -1))}"`;
}
