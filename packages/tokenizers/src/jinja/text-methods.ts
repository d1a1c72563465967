import { bind, positional } from "./arguments.ts";
import { caseTests, characterTests, isCased, isPrintable, lineEnd, titleCase, whiteSpace } from "./characters.ts";
import { refusal, unsupported } from "./errors.ts";
import { braceFormat } from "./format.ts";
import { integerOf } from "./operators.ts";
import { Dict, Tuple, bounded, characters, listOf, typeOf, type Arguments, type Value } from "./values.ts";

type TextMethod = (text: string, call: Arguments) => Value;

/** A text argument, such as a separator. */
function textArgument(method: string, value: Value | undefined): string {
  if (typeof value === "string") return value;
  throw refusal(`${method}() argument must be str, not ${typeOf(value ?? null)}`);
}

/** `str.strip`, `lstrip` and `rstrip`. */
export function stripped(text: string, set: Value | undefined, left: boolean, right: boolean): string {
  if (set !== undefined && set !== null) textArgument("strip", set);
  const space = new RegExp(`^[${whiteSpace}]$`, "u");
  const isRemoved =
    typeof set === "string"
      ? (character: string) => set.includes(character)
      : (character: string) => space.test(character);
  let [start, end] = [0, text.length];
  while (left && start < end) {
    const first = String.fromCodePoint(text.codePointAt(start) as number);
    if (!isRemoved(first)) break;
    start += first.length;
  }
  while (right && start < end) {
    const last = characters(text.slice(Math.max(start, end - 2), end)).at(-1) as string;
    if (!isRemoved(last)) break;
    end -= last.length;
  }
  return text.slice(start, end);
}

/** `str.split` and `rsplit`. */
function split(text: string, call: Arguments, fromRight: boolean): Value {
  const [separator, most] = bind("split", { sep: null, maxsplit: -1n }, call);
  const limit = integerOf(most as Value);
  const cuts = limit < 0 ? Number.POSITIVE_INFINITY : limit;
  if (separator === null) return splitWords(text, cuts, fromRight);
  const by = textArgument("split", separator);
  if (by === "") throw refusal("empty separator");
  const parts: string[] = [];
  let rest = text;
  while (parts.length < cuts) {
    const position = fromRight ? rest.lastIndexOf(by) : rest.indexOf(by);
    if (position < 0) break;
    const [before, after] = [rest.slice(0, position), rest.slice(position + by.length)];
    parts.push(fromRight ? after : before);
    rest = fromRight ? before : after;
  }
  parts.push(rest);
  return fromRight ? parts.toReversed() : parts;
}

function splitWords(text: string, cuts: number, fromRight: boolean): string[] {
  const reversed = (part: string): string => characters(part).toReversed().join("");
  if (fromRight) return splitWords(reversed(text), cuts, false).map(reversed).toReversed();
  const words: string[] = [];
  for (const match of text.matchAll(new RegExp(`[^${whiteSpace}]+`, "gu"))) {
    if (words.length >= cuts) return [...words, text.slice(match.index)];
    words.push(match[0]);
  }
  return words;
}

/** `str.replace`. */
export function replaced(text: string, from: string, to: string, most: number): string {
  if (most < 0) return from === "" ? replaced(text, from, to, text.length + 1) : text.replaceAll(from, () => to);
  if (from !== "") {
    const parts = text.split(from);
    const cut = Math.min(most, parts.length - 1);
    return (
      parts
        .slice(0, cut)
        .map((part) => part + to)
        .join("") + parts.slice(cut).join(from)
    );
  }
  const letters = ["", ...characters(text)];
  return letters.map((letter, i) => letter + (i < most ? to : "")).join("");
}

/** A position in code points as one in UTF-16 units, and the substring between two bounds. */
function within(
  text: string,
  start: Value | undefined,
  end: Value | undefined,
): { readonly part: string; readonly first: number } | null {
  const letters = characters(text);
  const bound = (value: Value | undefined, otherwise: number): number => {
    if (value === undefined || value === null) return otherwise;
    const position = integerOf(value);
    return Math.max(0, position < 0 ? position + letters.length : position);
  };
  const [first, last] = [bound(start, 0), Math.min(letters.length, bound(end, letters.length))];
  if (first > last) return null;
  return { part: letters.slice(first, last).join(""), first };
}

function find(method: string, text: string, call: Arguments): number {
  const [part, start, end] = positional(method, call, 1, 3);
  const sought = textArgument(method, part);
  const range = within(text, start, end);
  if (range === null) return -1;
  const unit = method.startsWith("r") ? range.part.lastIndexOf(sought) : range.part.indexOf(sought);
  return unit < 0 ? -1 : range.first + characters(range.part.slice(0, unit)).length;
}

function index(method: string, text: string, call: Arguments): Value {
  const position = find(method, text, call);
  if (position < 0) throw refusal("substring not found");
  return BigInt(position);
}

function count(text: string, call: Arguments): Value {
  const [part, start, end] = positional("count", call, 1, 3);
  const sought = textArgument("count", part);
  const range = within(text, start, end);
  if (range === null) return 0n;
  return BigInt(sought === "" ? characters(range.part).length + 1 : range.part.split(sought).length - 1);
}

/** `startswith` and `endswith`, with a text or a tuple of texts. */
function hasEnd(method: "startswith" | "endswith", text: string, call: Arguments): boolean {
  const [ends, start, end] = positional(method, call, 1, 3);
  const range = within(text, start, end);
  const all = ends instanceof Tuple ? ends.items : [ends as Value];
  return all
    .map((each) => textArgument(method, each))
    .some(
      (each) => range !== null && (method === "startswith" ? range.part.startsWith(each) : range.part.endsWith(each)),
    );
}

/** `ljust`, `rjust`, `center` and `zfill`. */
export function justified(text: string, width: number, side: "left" | "right" | "both", fill = " "): string {
  const missing = bounded(width, () => Math.max(0, width - characters(text).length));
  if (characters(fill).length !== 1) throw refusal("The fill character must be exactly one character long");
  const left = side === "left" ? 0 : side === "right" ? missing : Math.floor(missing / 2) + (missing & width & 1);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

function justify(side: "left" | "right" | "both"): TextMethod {
  return (text, call) => {
    const [width, fill] = positional("justify", call, 1, 2);
    return justified(text, integerOf(width as Value), side, fill === undefined ? " " : textArgument("justify", fill));
  };
}

function partition(text: string, call: Arguments, fromRight: boolean): Value {
  const by = textArgument("partition", positional("partition", call, 1, 1)[0]);
  if (by === "") throw refusal("empty separator");
  const position = fromRight ? text.lastIndexOf(by) : text.indexOf(by);
  if (position < 0) return new Tuple(fromRight ? ["", "", text] : [text, "", ""]);
  return new Tuple([text.slice(0, position), by, text.slice(position + by.length)]);
}

/** `str.splitlines`. */
export function lines(text: string, keepEnds = false): string[] {
  const parts = text.split(new RegExp(`(${lineEnd.source})`));
  const result = parts.flatMap((part, i) => (i % 2 === 1 ? [] : [keepEnds ? part + (parts[i + 1] ?? "") : part]));
  return parts.at(-1) === "" ? result.slice(0, -1) : result;
}

/** `str.title`: a capital after every character without a case. */
function title(text: string): string {
  let isInWord = false;
  let read = "";
  return characters(text)
    .map((character) => {
      // A small sigma has another form at the end of a word.
      const lower = character === "Σ" ? text.toLowerCase().charAt(read.toLowerCase().length) : character.toLowerCase();
      const shown = isInWord ? lower : titleCase(character);
      isInWord = isCased(character);
      read += character;
      return shown;
    })
    .join("");
}

/** `str.capitalize`. */
export function capitalized(text: string): string {
  const first = characters(text)[0] ?? "";
  const lower = text.toLowerCase();
  // A first capital sigma is never final.
  return titleCase(first) + lower.slice(first.toLowerCase().length);
}

function swapCase(text: string): string {
  return characters(text)
    .map((character) => {
      if (/^\p{Uppercase}$/u.test(character)) return character.toLowerCase();
      return /^\p{Lowercase}$/u.test(character) ? character.toUpperCase() : character;
    })
    .join("");
}

function join(text: string, call: Arguments): Value {
  const items = listOf(positional("join", call, 1, 1)[0] as Value);
  return items.map((item) => textArgument("join", item)).join(text);
}

function format(text: string, { list, named }: Arguments): Value {
  let automatic = 0;
  return braceFormat(text, (name) => {
    const value = /^\d*$/.test(name) ? list[name === "" ? automatic++ : Number(name)] : named.get(name);
    if (value === undefined) throw refusal(`format field ${JSON.stringify(name)} has no argument`);
    return value;
  });
}

function formatMap(text: string, call: Arguments): Value {
  const [mapping] = positional("format_map", call, 1, 1);
  if (!(mapping instanceof Dict)) throw refusal("format_map() needs a mapping");
  return braceFormat(text, (name) => {
    const value = mapping.get(name);
    if (value === undefined) throw refusal(`KeyError: ${name}`);
    return value;
  });
}

/** A method without arguments. */
function plain(run: (text: string) => Value): TextMethod {
  return (text, call) => {
    positional("method", call, 0, 0);
    return run(text);
  };
}

const missing =
  (name: string): TextMethod =>
  () => {
    throw unsupported(`the method str.${name}`);
  };

/** Methods of Python's `str`. */
export const textMethods: ReadonlyMap<string, TextMethod> = new Map<string, TextMethod>([
  ["capitalize", plain(capitalized)],
  ["center", justify("both")],
  ["count", count],
  ["endswith", (text, call) => hasEnd("endswith", text, call)],
  ["find", (text, call) => BigInt(find("find", text, call))],
  ["format", format],
  ["format_map", formatMap],
  ["index", (text, call) => index("index", text, call)],
  ["isascii", plain((text) => /^[\0-\x7f]*$/.test(text))],
  ["isprintable", plain((text) => characters(text).every(isPrintable))],
  ["isidentifier", plain((text) => /^[\p{XIDS}_]\p{XIDC}*$/u.test(text))],
  ["join", join],
  ["ljust", justify("left")],
  ["lower", plain((text) => text.toLowerCase())],
  ["lstrip", (text, call) => stripped(text, positional("lstrip", call, 0, 1)[0], true, false)],
  ["partition", (text, call) => partition(text, call, false)],
  [
    "removeprefix",
    (text, call) => {
      const prefix = textArgument("removeprefix", positional("removeprefix", call, 1, 1)[0]);
      return text.startsWith(prefix) ? text.slice(prefix.length) : text;
    },
  ],
  [
    "removesuffix",
    (text, call) => {
      const suffix = textArgument("removesuffix", positional("removesuffix", call, 1, 1)[0]);
      return suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
    },
  ],
  [
    "replace",
    (text, call) => {
      const [from, to, most = -1n] = positional("replace", call, 2, 3);
      return replaced(text, textArgument("replace", from), textArgument("replace", to), integerOf(most));
    },
  ],
  ["rfind", (text, call) => BigInt(find("rfind", text, call))],
  ["rindex", (text, call) => index("rindex", text, call)],
  ["rjust", justify("right")],
  ["rpartition", (text, call) => partition(text, call, true)],
  ["rsplit", (text, call) => split(text, call, true)],
  ["rstrip", (text, call) => stripped(text, positional("rstrip", call, 0, 1)[0], false, true)],
  ["split", (text, call) => split(text, call, false)],
  [
    "splitlines",
    (text, call) => {
      const [keepEnds] = bind("splitlines", { keepends: false }, call);
      return lines(text, integerOf(keepEnds as Value) !== 0);
    },
  ],
  ["startswith", (text, call) => hasEnd("startswith", text, call)],
  ["strip", (text, call) => stripped(text, positional("strip", call, 0, 1)[0], true, true)],
  ["swapcase", plain(swapCase)],
  ["title", plain(title)],
  ["upper", plain((text) => text.toUpperCase())],
  [
    "zfill",
    (text, call) => {
      const width = integerOf(positional("zfill", call, 1, 1)[0] as Value);
      const [, sign = "", digits = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
      return sign + justified(digits, width - sign.length, "right", "0");
    },
  ],
  ...Object.entries(characterTests).map(([name, passes]): [string, TextMethod] => [
    name,
    plain((text) => text !== "" && characters(text).every(passes)),
  ]),
  ...Object.entries(caseTests).map(([name, passes]): [string, TextMethod] => [
    name,
    plain((text) => passes(characters(text))),
  ]),
  ...["casefold", "encode", "expandtabs", "maketrans", "translate"].map((name): [string, TextMethod] => [
    name,
    missing(name),
  ]),
]);

/** Python's `int(text, base)`, or null where it raises. */
export function parsedInteger(text: string, base: number): bigint | null {
  const digits = stripped(text, null, true, true).toLowerCase();
  if (/[^\0-\x7f]/.test(digits)) throw unsupported("a number with characters beyond ASCII");
  const [, sign = "", prefix = "", body = ""] = /^([+-]?)(0[box])?(.*)$/s.exec(digits) ?? [];
  const prefixBase = { "0b": 2, "0o": 8, "0x": 16 }[prefix];
  if (prefix !== "" && base !== 0 && base !== prefixBase) {
    if (base > 11) throw unsupported(`integers of base ${base}`);
    return null;
  }
  const radix = base === 0 ? (prefixBase ?? 10) : base;
  if (![2, 8, 10, 16].includes(radix)) throw unsupported(`integers of base ${radix}`);
  const pattern = {
    2: /^_?[01](_?[01])*$/,
    8: /^_?[0-7](_?[0-7])*$/,
    10: /^\d(_?\d)*$/,
    16: /^_?[\da-f](_?[\da-f])*$/,
  }[radix];
  if (!pattern?.test(body) || (prefix === "" && body.startsWith("_"))) return null;
  if (base === 0 && prefix === "" && /^0[0_]*[1-9]/.test(body)) return null;
  const value = BigInt({ 2: "0b", 8: "0o", 10: "", 16: "0x" }[radix] + body.replaceAll("_", ""));
  return sign === "-" ? -value : value;
}

/** Python's `float(text)`, or null where it raises. */
export function parsedFloat(text: string): number | null {
  const digits = stripped(text, null, true, true);
  if (/[^\0-\x7f]/.test(digits)) throw unsupported("a number with characters beyond ASCII");
  if (/^[+-]?(inf|infinity)$/i.test(digits)) return digits.startsWith("-") ? -Infinity : Infinity;
  if (/^[+-]?nan$/i.test(digits)) return Number.NaN;
  const part = String.raw`\d(?:_?\d)*`;
  if (!new RegExp(`^[+-]?(?:${part}\\.?(?:${part})?|\\.${part})(?:e[+-]?${part})?$`, "i").test(digits)) return null;
  return Number(digits.replaceAll("_", ""));
}
