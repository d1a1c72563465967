import { boundedJson, maxJsonDepth, stringEnd } from "./bounded-json.ts";
import { isRecord, type UnknownRecord } from "../shapes/is-record.ts";

/** JSON value as source text, with all digits and the key order. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Returns the parsed value, so that `JSON.stringify` writes valid JSON. */
  toJSON(): unknown {
    return boundedJson(this.text);
  }
}

/** Values that JavaScript would change. */
export interface ExactJsonOptions {
  /** Converts numbers that JavaScript writes differently, such as `1.0`. Default: {@link JsonText}. */
  readonly number?: (text: string) => unknown;
  /** Keys whose values stay {@link JsonText}. */
  readonly keep?: (record: UnknownRecord) => readonly string[];
}

/**
 * {@link boundedJson} that keeps a number only if JavaScript writes the same text.
 * @throws SyntaxError
 */
export function exactJson(text: string, options: ExactJsonOptions = {}): unknown {
  const value = boundedJson(text);
  const plain = text.replace(/^\ufeff/u, "");
  return options.keep || hasOtherNumber(plain) ? new Builder(plain, options).value() : value;
}

/** Bigint for an integer that a number cannot hold. */
export function exactNumber(text: string): number | bigint {
  const value = Number(text);
  if (Number.isSafeInteger(value) || !/^-?\d+$/u.test(text)) return value;
  const integer = BigInt(text);
  return integer === BigInt(value) ? value : integer;
}

const outsideStrings = /[\s\w.,:+-]/u;

/** End of the list or object at `start`; -1 if unclosed, too deep, or not JSON. */
export function jsonEnd(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const char = text[i]!;
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

export type JsonSeparators = readonly [comma: string, colon: string];

/** `JSON.stringify` with the original text of {@link JsonText} and bigint values. Python separates by `, ` and `: `. */
export function writeJson(value: unknown, separators: JsonSeparators = [",", ":"]): string {
  const [comma, colon] = separators;
  if (value instanceof JsonText) return respaced(value.text, separators);
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => writeJson(item, separators)).join(comma)}]`;
  if (!isRecord(value) || "toJSON" in value) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}${colon}${writeJson(member, separators)}`).join(comma)}}`;
}

function respaced(text: string, [comma, colon]: JsonSeparators): string {
  let written = "";
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === '"') {
      const end = stringEnd(text, i);
      written += JSON.stringify(boundedJson(text.slice(i, end + 1)));
      i = end;
    } else if (char === ",") written += comma;
    else if (char === ":") written += colon;
    else if (!/\s/u.test(char)) written += char;
  }
  return written;
}

function isSame(number: string): boolean {
  return /^-?[1-9]\d{0,14}$/u.test(number) || String(Number(number)) === number;
}

const scalar = /[^\s,:[\]{}"]+/y;

function scalarEnd(text: string, start: number): number {
  scalar.lastIndex = start;
  scalar.test(text);
  return scalar.lastIndex;
}

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

class Builder {
  readonly #text: string;
  readonly #number: (text: string) => unknown;
  readonly #keep: ExactJsonOptions["keep"];
  #position = 0;

  constructor(text: string, { number = (digits) => new JsonText(digits), keep }: ExactJsonOptions) {
    this.#text = text;
    this.#number = number;
    this.#keep = keep;
  }

  value(): unknown {
    const first = this.#next();
    if (first === '"') return this.#string();
    if (first === "{") return this.#record();
    return first === "[" ? this.#list() : this.#scalar(first);
  }

  #next(): string {
    while (" \t\r\n,:".includes(this.#text[this.#position]!)) this.#position += 1;
    return this.#text[this.#position]!;
  }

  #string(): string {
    const start = this.#position;
    const end = stringEnd(this.#text, start);
    this.#position = end + 1;
    const inside = this.#text.slice(start + 1, end);
    return inside.includes("\\") ? (boundedJson(this.#text.slice(start, end + 1)) as string) : inside;
  }

  #scalar(first: string): unknown {
    const start = this.#position;
    this.#position = scalarEnd(this.#text, start);
    const token = this.#text.slice(start, this.#position);
    if (first === "t" || first === "f") return first === "t";
    if (first === "n") return null;
    return isSame(token) ? Number(token) : this.#number(token);
  }

  #list(): unknown[] {
    this.#position += 1;
    const items: unknown[] = [];
    while (this.#next() !== "]") items.push(this.value());
    this.#position += 1;
    return items;
  }

  #record(): UnknownRecord {
    this.#position += 1;
    const members: [string, unknown][] = [];
    const sources: JsonText[] = [];
    while (this.#next() !== "}") {
      const key = this.#string();
      this.#next();
      const start = this.#position;
      members.push([key, this.value()]);
      if (this.#keep) sources.push(new JsonText(this.#text.slice(start, this.#position)));
    }
    this.#position += 1;
    const record = Object.fromEntries(members);
    const retained = this.#keep?.(record) ?? [];
    return retained.length === 0
      ? record
      : Object.fromEntries(members.map(([key, value], i) => [key, retained.includes(key) ? sources[i] : value]));
  }
}
