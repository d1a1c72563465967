import { syntaxError, unsupported } from "./errors.ts";
import type { Value } from "./values.ts";

export interface Token {
  readonly kind:
    | "text"
    | "begin"
    | "end"
    | "beginOutput"
    | "endOutput"
    | "name"
    | "number"
    | "string"
    | "operator"
    | "eof";
  /** Text of a name, operator, string or piece of text. */
  readonly text: string;
  /** Value of a number. */
  readonly value: Value;
  readonly line: number;
}

const space = String.raw`[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`;
/** The next tag, with the sign for white space control behind it; `raw` is read as a whole. */
const tag = new RegExp(String.raw`\{%([-+]?)${space}*raw${space}*(?:-%\}${space}*|%\})|(\{%|\{#|\{\{)([-+]?)`, "gu");
const rawEnd = new RegExp(String.raw`\{%([-+]?)${space}*endraw${space}*(?:\+%\}|-%\}${space}*|%\}\n?)`, "gu");
const commentEnd = new RegExp(String.raw`\+#\}|-#\}${space}*|#\}\n?`, "gu");
const blockEnd = new RegExp(String.raw`\+%\}|-%\}${space}*|%\}\n?`, "uy");
const outputEnd = new RegExp(String.raw`-\}\}${space}*|\}\}`, "uy");
const digits = String.raw`\d(?:_?\d)*`;
const token = new RegExp(
  String.raw`(?<space>${space}+)|(?<float>(?<!\.)${digits}(?:(?:\.${digits})?e[+-]?${digits}|\.${digits}))` +
    String.raw`|(?<integer>0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*)` +
    String.raw`|(?<name>[\p{L}\p{N}_]+)|(?<string>'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")` +
    String.raw`|(?<operator>\/\/|\*\*|==|!=|>=|<=|[-+\/*%~[\](){}<>=.:|,;])`,
  "isuy",
);
const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Tokens of a template, with `trim_blocks` and `lstrip_blocks` as transformers sets them. */
export function tokenize(template: string): Token[] {
  const source = template.replaceAll(/\r\n?/g, "\n").replace(/\n$/, "");
  const lexer = new Lexer(source);
  lexer.readText();
  return lexer.tokens;
}

class Lexer {
  readonly tokens: Token[] = [];
  readonly #source: string;
  #position = 0;
  #line = 1;
  #counted = 0;

  constructor(source: string) {
    this.#source = source;
  }

  #lineAt(position: number): number {
    for (; this.#counted < position; this.#counted++) if (this.#source[this.#counted] === "\n") this.#line++;
    return this.#line;
  }

  #push(kind: Token["kind"], text = "", value: Value = null): void {
    this.tokens.push({ kind, text, value, line: this.#lineAt(this.#position) });
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#position;
    return pattern.exec(this.#source);
  }

  #text(end: number, sign: string, isOutput: boolean): void {
    const text = this.#source.slice(this.#position, end);
    const shown = sign === "-" ? trimmedEnd(text) : sign === "+" || isOutput ? text : this.#unindented(text);
    if (shown !== "") this.#push("text", shown);
  }

  /** Without the white space between the start of the line and a tag. */
  #unindented(text: string): string {
    const start = text.lastIndexOf("\n") + 1;
    const startsLine = start > 0 || this.#position === 0 || this.#source[this.#position - 1] === "\n";
    return startsLine && trimmedEnd(text.slice(start)) === "" ? text.slice(0, start) : text;
  }

  readText(): void {
    for (let match = this.#match(tag); match; match = this.#match(tag)) {
      const [whole, rawSign, opening, sign = ""] = match;
      this.#text(match.index, rawSign ?? sign, opening === "{{");
      this.#position = match.index + whole.length;
      if (opening === "{{") this.#readTag("Output", outputEnd);
      else if (opening === "{%") this.#readTag("", blockEnd);
      else if (opening === "{#") this.#skip(commentEnd, "a comment");
      else {
        const end = this.#match(rawEnd);
        if (!end) throw syntaxError("the end of raw is missing", this.#lineAt(this.#position));
        this.#text(end.index, end[1] ?? "", false);
        this.#position = end.index + end[0].length;
      }
    }
    const rest = this.#source.slice(this.#position);
    if (rest !== "") this.#push("text", rest);
    this.#position = this.#source.length;
    this.#push("eof");
  }

  #skip(pattern: RegExp, what: string): void {
    const end = this.#match(pattern);
    if (!end) throw syntaxError(`the end of ${what} is missing`, this.#lineAt(this.#position));
    this.#position = end.index + end[0].length;
  }

  #readTag(suffix: "" | "Output", end: RegExp): void {
    this.#push(`begin${suffix}`);
    const open: string[] = [];
    while (true) {
      const close = open.length === 0 ? this.#match(end) : null;
      if (close) {
        this.#push(`end${suffix}`);
        this.#position += close[0].length;
        return;
      }
      const match = this.#match(token);
      if (!match) {
        // Jinja finds the end of the template when it parses.
        if (this.#position >= this.#source.length) return;
        throw syntaxError(
          `unexpected character ${JSON.stringify(this.#source[this.#position])}`,
          this.#lineAt(this.#position),
        );
      }
      this.#readToken(match, open);
      this.#position += match[0].length;
    }
  }

  #readToken(match: RegExpExecArray, open: string[]): void {
    const [text] = match;
    const groups = match.groups ?? {};
    if (groups["name"] !== undefined) {
      if (!/^[\p{XIDS}_]\p{XIDC}*$/u.test(text))
        throw syntaxError(`${text} is not a name`, this.#lineAt(this.#position));
      this.#push("name", text);
    } else if (groups["float"] !== undefined) {
      const value = Number(text.replaceAll("_", ""));
      if (!Number.isFinite(value)) throw unsupported(`the number ${text}`);
      this.#push("number", text, value);
    } else if (groups["integer"] !== undefined)
      this.#push("number", text, BigInt(text.replaceAll("_", "").toLowerCase()));
    else if (groups["string"] !== undefined) this.#push("string", unescaped(text.slice(1, -1)));
    else if (groups["operator"] !== undefined) {
      if (closing[text] !== undefined) open.push(closing[text]);
      else if (")]}".includes(text) && open.pop() !== text)
        throw syntaxError(`unexpected ${text}`, this.#lineAt(this.#position));
      this.#push("operator", text);
    }
  }
}

function trimmedEnd(text: string): string {
  let end = text.length;
  const one = new RegExp(`^${space}$`, "u");
  while (end > 0 && one.test(text[end - 1] as string)) end--;
  return text.slice(0, end);
}

const letters: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "\n": "",
};

/** Escapes of Python's string literals; an unknown one stays as it is. */
function unescaped(text: string): string {
  return text.replaceAll(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([\s\S]))/gu,
    (whole: string, x?: string, u?: string, long?: string, octal?: string, letter?: string) => {
      const hexadecimal = x ?? u ?? long;
      if (hexadecimal !== undefined) return character(Number.parseInt(hexadecimal, 16));
      if (octal !== undefined) return character(Number.parseInt(octal, 8));
      if (/[xuUN]/.test(letter as string)) throw unsupported(`the escape ${whole} in a text`);
      return letters[letter as string] ?? whole;
    },
  );
}

function character(code: number): string {
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw unsupported("an escape of a surrogate in a text");
  return String.fromCodePoint(code);
}
