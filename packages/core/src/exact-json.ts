import { boundedJson, maxJsonDepth, stringEnd } from "./bounded-json.ts";
import { isRecord, type UnknownRecord } from "./shapes/is-record.ts";

/** A JSON value as its source text: a number with all its digits, an object with its keys in order. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The value that `JSON.parse` reads, so that `JSON.stringify` writes valid JSON. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** How {@link exactJson} represents values that a JavaScript value would change. */
export interface ExactJsonOptions {
  /** Value of a number that JavaScript writes in another way, such as `1.0`. Default: a {@link JsonText}. */
  readonly number?: (text: string) => unknown;
  /** Keys of an object whose values stay {@link JsonText}. */
  readonly keep?: (record: UnknownRecord) => readonly string[];
}

/**
 * {@link boundedJson} that loses no digits: a number is a JavaScript number only if JavaScript writes it as the text does.
 * Text without such numbers takes little more time than `JSON.parse`.
 * @throws SyntaxError for text that is not JSON, or nested too deep
 */
export function exactJson(text: string, { number = asText, keep }: ExactJsonOptions = {}): unknown {
  const value = boundedJson(text);
  return keep || hasOtherNumber(text) ? builtFrom(text, number, keep) : value;
}

/** A JavaScript number, or a bigint for an integer that a JavaScript number cannot hold. */
export function exactNumber(text: string): number | bigint {
  const value = Number(text);
  if (Number.isSafeInteger(value) || !/^-?\d+$/u.test(text)) return value;
  const integer = BigInt(text);
  return integer === BigInt(value) ? value : integer;
}

const outsideStrings = /[\s\w.,:+-]/u;

/** End of the list or object that starts at `start`; -1 if the text does not close it, nests too deep, or is not JSON. */
export function jsonEnd(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const char = text[i] as string;
    if (char === '"') {
      i = stringEnd(text, i);
      if (i < 0) return -1;
    } else if (char === "[" || char === "{") {
      depth += 1;
      if (depth > maxJsonDepth) return -1;
    } else if (char === "]" || char === "}") {
      depth -= 1;
      if (depth === 0) return i + 1;
    } else if (!outsideStrings.test(char)) return -1;
  }
  return -1;
}

/** Text behind a value of a list or object, and behind a key. */
export type JsonSeparators = readonly [comma: string, colon: string];

/** `JSON.stringify` that writes each {@link JsonText} and bigint with its digits and key order. Python separates by `, ` and `: `. */
export function writeJson(value: unknown, separators: JsonSeparators = [",", ":"]): string {
  const [comma, colon] = separators;
  if (value instanceof JsonText) return respaced(value.text, separators);
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => writeJson(item, separators)).join(comma)}]`;
  if (!isRecord(value) || "toJSON" in value) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}${colon}${writeJson(member, separators)}`).join(comma)}}`;
}

/** Valid JSON with other separators; strings are written as `JSON.stringify` does. */
function respaced(text: string, [comma, colon]: JsonSeparators): string {
  let written = "";
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (char === '"') {
      const end = stringEnd(text, i);
      written += JSON.stringify(JSON.parse(text.slice(i, end + 1)));
      i = end;
    } else if (char === ",") written += comma;
    else if (char === ":") written += colon;
    else if (!/\s/u.test(char)) written += char;
  }
  return written;
}

const asText = (text: string): JsonText => new JsonText(text);

const isSame = (number: string): boolean => String(Number(number)) === number;

const scalar = /[^\s,:[\]{}"]+/uy;

/** End of the number, `true`, `false` or `null` at `start`. */
function scalarEnd(text: string, start: number): number {
  scalar.lastIndex = start;
  scalar.test(text);
  return scalar.lastIndex;
}

/** Whether valid JSON has a number that JavaScript writes in another way. */
function hasOtherNumber(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === 34) i = stringEnd(text, i);
    else if (char === 45 || (char >= 48 && char <= 57)) {
      const end = scalarEnd(text, i);
      if (!isSame(text.slice(i, end))) return true;
      i = end - 1;
    }
  }
  return false;
}

/** Value of valid JSON: commas, colons and white space say nothing that the order of the other tokens does not. */
function builtFrom(text: string, number: (text: string) => unknown, keep: ExactJsonOptions["keep"]): unknown {
  let position = 0;
  const next = (): string => {
    while (/[\s,:]/u.test(text[position] as string)) position += 1;
    const start = position;
    const char = text[start] as string;
    if (char === '"') position = stringEnd(text, start) + 1;
    else position = "[]{}".includes(char) ? start + 1 : scalarEnd(text, start);
    return text.slice(start, position);
  };
  const valueOf = (token: string): unknown => {
    if (token === "[") {
      const items: unknown[] = [];
      for (let item = next(); item !== "]"; item = next()) items.push(valueOf(item));
      return items;
    }
    if (token === "{") return recordOf();
    return /^[-\d]/u.test(token) && !isSame(token) ? number(token) : JSON.parse(token);
  };
  const recordOf = (): UnknownRecord => {
    const members: [string, unknown][] = [];
    const sources = new Map<string, JsonText>();
    for (let token = next(); token !== "}"; token = next()) {
      const key = JSON.parse(token) as string;
      const first = next();
      const start = position - first.length;
      members.push([key, valueOf(first)]);
      if (keep) sources.set(key, new JsonText(text.slice(start, position)));
    }
    const record = Object.fromEntries(members);
    const kept = new Set(keep?.(record));
    return kept.size === 0
      ? record
      : Object.fromEntries(members.map(([key, value]) => [key, kept.has(key) ? sources.get(key) : value]));
  };
  return valueOf(next());
}
