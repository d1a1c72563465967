import { refusal, unsupported } from "./errors.ts";
import { floatText, reprOf, textOf } from "./print.ts";
import { Dict, Tuple, characters, typeOf, type Value } from "./values.ts";

/** `[[fill]align][sign][0][width][,][.precision][type]`. */
const specification = /^(?:(.)?([<>^]))?([+\- ])?(0)?(\d+)?(,)?(?:\.(\d+))?([a-zA-Z%])?$/su;

/** Python's `format(value, specification)` for texts and numbers. */
function formatted(value: Value, spec: string): string {
  if (spec === "") return textOf(value);
  const match = specification.exec(spec);
  const isNumber = typeof value === "bigint" || typeof value === "number";
  if (!match || !(isNumber || typeof value === "string"))
    throw unsupported(`the format ${JSON.stringify(spec)} of a ${typeOf(value)}`);
  const [, fill, align, sign = "-", zero, width = "0", comma, precision, type] = match;
  const wide = Number(width);
  if (typeof value === "string") {
    if ((type ?? "s") !== "s" || match[3] || comma) throw refusal(`unknown format ${spec} of a str`);
    if (zero) throw unsupported(`the format ${JSON.stringify(spec)} of a str`);
    const letters = characters(value);
    const text = precision === undefined ? value : letters.slice(0, Number(precision)).join("");
    return padded(text, wide, fill ?? " ", align ?? "<");
  }
  const digits = numberText(value, precision === undefined ? null : Number(precision), type);
  const [whole = "", rest] = digits.replace("-", "").split(/(?=[.e%])(.*)/s);
  const grouped = (comma ? whole.replaceAll(/\B(?=(\d{3})+$)/g, ",") : whole) + (rest ?? "");
  const prefix = digits.startsWith("-") ? "-" : sign === "-" ? "" : sign;
  if (zero && comma && wide > 0) throw unsupported(`the format ${JSON.stringify(spec)}`);
  if (zero && align === undefined) return prefix + grouped.padStart(wide - prefix.length, "0");
  return padded(prefix + grouped, wide, fill ?? " ", align ?? ">");
}

/** Digits of a number with its sign. */
function numberText(value: bigint | number, precision: number | null, type: string | undefined): string {
  if (type === undefined && precision === null) return textOf(value);
  if (typeof value === "bigint" && (type === "d" || type === "x" || type === "o" || type === "b") && precision === null)
    return value.toString({ d: 10, x: 16, o: 8, b: 2 }[type]);
  if (type !== "f" && type !== "F" && type !== "%") throw unsupported(`the number format ${type ?? "without a type"}`);
  const float = Number(value) * (type === "%" ? 100 : 1);
  if (!Number.isFinite(float)) return floatText(float) + (type === "%" ? "%" : "");
  return fixed(float, precision ?? 6) + (type === "%" ? "%" : "");
}

/** The exact value of a float rounded half to even, where `toFixed` rounds half up. */
function fixed(value: number, places: number): string {
  const [numerator, denominator] = ratio(value);
  const scaled = numerator * 10n ** BigInt(places);
  const floor = scaled / denominator;
  const twice = (scaled % denominator) * 2n;
  const digits = (floor + (twice > denominator || (twice === denominator && floor % 2n === 1n) ? 1n : 0n)).toString();
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const all = digits.padStart(places + 1, "0");
  return sign + (places === 0 ? all : `${all.slice(0, -places)}.${all.slice(-places)}`);
}

/** The absolute value as an exact fraction. */
export function ratio(value: number): readonly [bigint, bigint] {
  let numerator = Math.abs(value);
  let shift = 0n;
  while (!Number.isInteger(numerator)) {
    numerator *= 2;
    shift += 1n;
  }
  return [BigInt(numerator), 1n << shift];
}

function padded(text: string, width: number, fill: string, align: string): string {
  const missing = Math.max(0, width - characters(text).length);
  const left = align === "<" ? 0 : align === ">" ? missing : Math.floor(missing / 2);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

const directive =
  /%(?:\((?<key>[^)]*)\))?(?<flags>[-+ 0#]*)(?<width>\d+|\*)?(?:\.(?<precision>\d+|\*))?(?<type>[a-zA-Z%])?/gs;

/** Python's `text % values`. */
export function percentFormat(text: string, values: Value): string {
  const list = values instanceof Tuple ? values.items : [values];
  let used = 0;
  const result = text.replaceAll(directive, (...match: unknown[]): string => {
    const groups = match.at(-1) as Readonly<Record<string, string | undefined>>;
    const { key, flags = "", width = "", precision, type } = groups;
    if (type === undefined || width === "*" || precision === "*") throw unsupported("an unusual % format");
    if (type === "%") return "%";
    if (key !== undefined && !(values instanceof Dict)) throw refusal("format requires a mapping");
    const value = key === undefined ? list[used++] : (values as Dict).get(key);
    if (value === undefined)
      throw refusal(key === undefined ? "not enough arguments for format string" : `KeyError ${key}`);
    return directed(value, { flags, width, precision, type });
  });
  if (used < list.length && !(values instanceof Dict) && !(Array.isArray(values) && used === 0))
    throw refusal("not all arguments converted during string formatting");
  return result;
}

interface Directive {
  readonly flags: string;
  readonly width: string;
  readonly precision: string | undefined;
  readonly type: string;
}

function directed(value: Value, { flags, width, precision, type }: Directive): string {
  if (type === "s" || type === "r") {
    const text = type === "s" ? textOf(value) : reprOf(value);
    return formatted(
      text,
      `${flags.includes("-") ? "<" : ">"}${width}${precision === undefined ? "" : `.${precision}`}s`,
    );
  }
  const number = typeof value === "boolean" ? BigInt(value) : value;
  if (typeof number !== "bigint" && typeof number !== "number")
    throw refusal(`%${type} format: a real number is required, not ${typeOf(value)}`);
  if (!"dif".includes(type) || flags.includes("#") || (type !== "f" && precision !== undefined))
    throw unsupported(`the format %${type}`);
  const shown = type === "f" || typeof number === "bigint" ? number : BigInt(Math.trunc(number));
  const left = flags.includes("-");
  const sign = flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  const zero = flags.includes("0") && !left ? "0" : "";
  const spec = `${left ? "<" : ""}${sign}${zero}${width}${precision === undefined ? "" : `.${precision}`}${type === "f" ? "f" : "d"}`;
  return formatted(shown, spec);
}

/**
 * Python's `text.format(...)`.
 * @param field - value of a replacement field by its name, which may be empty or a number
 */
export function braceFormat(text: string, field: (name: string) => Value): string {
  return text.replaceAll(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g, (match: string, inside: string | undefined) => {
    if (match === "{{") return "{";
    if (match === "}}") return "}";
    if (inside === undefined) throw unsupported(`the format string ${JSON.stringify(text)}`);
    const [, name = "", conversion, spec = ""] = /^([^!:]*)(?:!([^:]*))?(?::(.*))?$/s.exec(inside) ?? [];
    if (/[.[]/.test(name) || (conversion !== undefined && !"rs".includes(conversion)))
      throw unsupported(`the format field ${match}`);
    const value = field(name);
    if (conversion === undefined) return formatted(value, spec);
    return formatted(conversion === "r" ? reprOf(value) : textOf(value), spec);
  });
}
