import { refusal, unsupported } from "./errors.ts";
import { integerOf } from "./operators.ts";
import { rejected, table } from "./signature.ts";
import { textOf } from "./print.ts";
import { characters, checkLength, itemsOf, listOf, typeOf, type Arguments, type Native, type Value } from "./values.ts";

/** White space of `str.isspace`; JavaScript's differs. */
export const whiteSpace: string = String.raw`\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const space = new RegExp(`^[${whiteSpace}]$`, "u");

function stringOf(value: Value): string {
  if (typeof value === "string") return value;
  throw refusal(`the argument must be str, not ${typeOf(value)}`);
}

/** `str.strip`, `lstrip` and `rstrip`; null removes white space. */
export function stripped(text: string, set: Value = null, left = true, right = true): string {
  const removed = set === null ? null : stringOf(set);
  const letters = characters(text);
  const isRemoved = (letter = ""): boolean => (removed === null ? space.test(letter) : removed.includes(letter));
  let [start, end] = [0, letters.length];
  while (left && start < end && isRemoved(letters[start])) start++;
  while (right && start < end && isRemoved(letters[end - 1])) end--;
  return letters.slice(start, end).join("");
}

function mirrored(text: string): string {
  return characters(text).toReversed().join("");
}

/** `str.split`; a negative limit splits everywhere. */
function split(text: string, separator: Value = null, limit: Value = -1n): string[] {
  const cuts = integerOf(limit) < 0 ? text.length : integerOf(limit);
  if (separator === "") throw refusal("empty separator");
  if (separator !== null) {
    const parts = text.split(stringOf(separator));
    return parts.length <= cuts + 1 ? parts : [...parts.slice(0, cuts), parts.slice(cuts).join(stringOf(separator))];
  }
  const words: string[] = [];
  for (const match of text.matchAll(new RegExp(`[^${whiteSpace}]+`, "gu"))) {
    if (words.length >= cuts) return [...words, text.slice(match.index)];
    words.push(match[0]);
  }
  return words;
}

function rightSplit(text: string, separator: Value = null, limit: Value = -1n): string[] {
  const by = separator === null ? null : mirrored(stringOf(separator));
  return split(mirrored(text), by, limit).map(mirrored).toReversed();
}

export function lines(text: string): string[] {
  const parts = text.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/);
  return parts.at(-1) === "" ? parts.slice(0, -1) : parts;
}

/** `str.replace`; a negative count replaces all. */
export function replaced(text: string, old: Value, replacement: Value, count: Value = -1n): string {
  const [from, to, limit] = [stringOf(old), stringOf(replacement), integerOf(count)];
  const parts = from === "" ? ["", ...characters(text), ""] : text.split(from);
  const cuts = limit < 0 ? parts.length - 1 : Math.min(limit, parts.length - 1);
  checkLength(text.length + cuts * to.length);
  return [...parts.slice(0, cuts), parts.slice(cuts).join(from)].join(to);
}

export function joined(separator: string, parts: readonly string[]): string {
  checkLength(parts.reduce((sum, part) => sum + part.length + separator.length, 0));
  return parts.join(separator);
}

/** Converts a position in UTF-16 units to characters; keeps -1. */
function position(text: string, unit: number): Value {
  return BigInt(unit < 0 ? -1 : characters(text.slice(0, unit)).length);
}

function ends(value: Value): readonly string[] {
  return (typeOf(value) === "tuple" ? (itemsOf(value) ?? []) : [value]).map(stringOf);
}

export function capitalized(text: string): string {
  if (/[^\0-\x7f]/.test(text)) throw unsupported("title case beyond ASCII");
  return text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
}

/** `str.format` without format specifications. */
function formatted(text: string, { list, named }: Arguments): string {
  let automatic = 0;
  return text.replaceAll(/\{\{|\}\}|\{(\w*)\}|[{}]/g, (match: string, name: string | undefined) => {
    if (match === "{{" || match === "}}") return match.charAt(0);
    if (name === undefined) throw unsupported(`the format string ${JSON.stringify(text)}`);
    const value = /^\d*$/.test(name) ? list[name === "" ? automatic++ : Number(name)] : named.get(name);
    if (value === undefined) throw refusal(`format field ${JSON.stringify(name)} has no argument`);
    return textOf(value);
  });
}

const rejectedMethods = `casefold center encode expandtabs format_map index isalnum isalpha isdecimal isdigit isidentifier islower
  isnumeric isprintable istitle isupper ljust maketrans partition rindex rjust rpartition swapcase translate zfill`;

export const textMethods: ReadonlyMap<string, Native<string>> = new Map<string, Native<string>>([
  ...rejected("the method str.", rejectedMethods),
  ...table<string>({
    "capitalize()": capitalized,
    "count(sub, /)": (text, sub) =>
      BigInt(sub === "" ? characters(text).length + 1 : text.split(stringOf(sub)).length - 1),
    "endswith(suffix, /)": (text, suffix) => ends(suffix).some((end) => text.endsWith(end)),
    "find(sub, /)": (text, sub) => position(text, text.indexOf(stringOf(sub))),
    "isascii()": (text) => /^[\0-\x7f]*$/.test(text),
    "isspace()": (text) => text !== "" && stripped(text) === "",
    "join(iterable, /)": (text, items) => joined(text, listOf(items).map(stringOf)),
    "lower()": (text) => text.toLowerCase(),
    "lstrip(chars, /)": (text, set = null) => stripped(text, set, true, false),
    "removeprefix(prefix, /)": (text, prefix) =>
      text.startsWith(stringOf(prefix)) ? text.slice(stringOf(prefix).length) : text,
    "removesuffix(suffix, /)": (text, suffix) =>
      text.endsWith(stringOf(suffix)) ? text.slice(0, text.length - stringOf(suffix).length) : text,
    "replace(old, new, count, /)": replaced,
    "rfind(sub, /)": (text, sub) => position(text, text.lastIndexOf(stringOf(sub))),
    "rsplit(sep, maxsplit)": rightSplit,
    "rstrip(chars, /)": (text, set = null) => stripped(text, set, false, true),
    "split(sep, maxsplit)": split,
    "splitlines()": lines,
    "startswith(prefix, /)": (text, prefix) => ends(prefix).some((end) => text.startsWith(end)),
    "strip(chars, /)": (text, set = null) => stripped(text, set),
    "title()": (text) => text.replaceAll(/[^\0-@[-`{-\x7f]+/g, capitalized),
    "upper()": (text) => text.toUpperCase(),
  }),
  ["format", formatted],
]);
