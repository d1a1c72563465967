import { syntaxError, unsupported } from "./errors.ts";
import { stripped, whiteSpace } from "./text.ts";
import type { Value } from "./values.ts";

/** Text, or a token inside a tag; tag delimiters are operators. */
export interface Token {
  readonly kind: "text" | "name" | "number" | "string" | "operator" | "eof";
  readonly text: string;
  readonly value: Value;
  /** Counted from 1. */
  readonly line: number;
}

const space = `[${whiteSpace}]`;
/** `raw` is read as a whole. */
const tag = new RegExp(String.raw`\{%([-+]?)${space}*raw${space}*(?:-%\}${space}*|%\})|(\{%|\{#|\{\{)([-+]?)`, "gu");
const rawEnd = new RegExp(String.raw`\{%([-+]?)${space}*endraw${space}*(?:\+%\}|-%\}${space}*|%\}\n?)`, "gu");
const commentEnd = new RegExp(String.raw`\+#\}|-#\}${space}*|#\}\n?`, "gu");
const blockEnd = new RegExp(String.raw`\+%\}|-%\}${space}*|%\}\n?`, "uy");
const outputEnd = new RegExp(String.raw`-\}\}${space}*|\}\}`, "uy");
const digits = String.raw`\d(?:_?\d)*`;
const token = new RegExp(
  String.raw`(?<space>${space}+)|(?<number>(?<!\.)${digits}(?:(?:\.${digits})?[eE][+-]?${digits}|\.${digits})` +
    String.raw`|0[boxBOX]\w+|[1-9](?:_?\d)*|0(?:_?0)*)|(?<name>[\p{XIDS}_]\p{XIDC}*)` +
    String.raw`|(?<string>'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")` +
    String.raw`|(?<operator>\/\/|\*\*|==|!=|>=|<=|[-+\/*%~[\](){}<>=.:|,;])`,
  "suy",
);

/** Tokens of a template, with `trim_blocks` and `lstrip_blocks` as in transformers. */
export function tokenize(template: string): Token[] {
  return new Lexer(template.replaceAll(/\r\n?/g, "\n").replace(/\n$/, "")).read();
}

class Lexer {
  readonly #tokens: Token[] = [];
  readonly #source: string;
  #position = 0;
  #line = 1;

  constructor(source: string) {
    this.#source = source;
  }

  read(): Token[] {
    for (let match = this.#match(tag); match; match = this.#match(tag)) {
      const [whole, rawSign, opening, sign = ""] = match;
      this.#text(match.index, rawSign ?? sign, opening === "{{");
      this.#advance(match.index + whole.length);
      if (opening === "{{") this.#tag("{{", "}}", outputEnd);
      else if (opening === "{%") this.#tag("{%", "%}", blockEnd);
      else {
        const end = this.#match(opening === "{#" ? commentEnd : rawEnd);
        if (!end) throw syntaxError(`the end of ${opening === "{#" ? "a comment" : "raw"} is missing`, this.#line);
        if (opening !== "{#") this.#text(end.index, end[1] ?? "", false);
        this.#advance(end.index + end[0].length);
      }
    }
    this.#text(this.#source.length, "+", false);
    this.#advance(this.#source.length);
    this.#push("eof", "");
    return this.#tokens;
  }

  #advance(position: number): void {
    for (; this.#position < position; this.#position++) if (this.#source[this.#position] === "\n") this.#line++;
  }

  #push(kind: Token["kind"], text: string): void {
    this.#tokens.push({ kind, text, value: kind === "number" ? numberOf(text) : null, line: this.#line });
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#position;
    return pattern.exec(this.#source);
  }

  /** Text before a tag, without the indentation of a tag that starts its line. */
  #text(end: number, sign: string, isOutput: boolean): void {
    let text = this.#source.slice(this.#position, end);
    const start = text.lastIndexOf("\n") + 1;
    const beginsLine = start > 0 || this.#position === 0 || this.#source[this.#position - 1] === "\n";
    const isIndented = sign === "" && !isOutput && beginsLine && stripped(text.slice(start), null) === "";
    if (sign === "-") text = stripped(text, null, false, true);
    else if (isIndented) text = text.slice(0, start);
    if (text !== "") this.#push("text", text);
  }

  #tag(opening: string, closing: string, end: RegExp): void {
    this.#push("operator", opening);
    let depth = 0;
    while (true) {
      const close = depth > 0 ? null : this.#match(end);
      const match = close ?? this.#match(token);
      if (!match && this.#position < this.#source.length)
        throw syntaxError(`unexpected character ${JSON.stringify(this.#source[this.#position])}`, this.#line);
      if (!match) return;
      const [text] = match;
      for (const kind of ["name", "number", "string", "operator"] as const)
        if (match.groups?.[kind] !== undefined)
          this.#push(kind, kind === "string" ? unescaped(text.slice(1, -1)) : text);
      depth += close ? 0 : "([{".includes(text) ? 1 : ")]}".includes(text) ? -1 : 0;
      if (close) this.#push("operator", closing);
      this.#advance(this.#position + match[0].length);
      if (close) return;
    }
  }
}

function numberOf(text: string): Value {
  const plain = text.replaceAll("_", "");
  if (/^\d+$/.test(plain)) return BigInt(plain);
  if (/^0[box]/i.test(plain) || !Number.isFinite(Number(plain))) throw unsupported(`the number ${text}`);
  return Number(plain);
}

const letters = new Map(Object.entries({ n: "\n", t: "\t", r: "\r", "\\": "\\", "'": "'", '"': '"', "\n": "" }));

/** Unknown escapes stay unchanged, as in Python. */
function unescaped(text: string): string {
  const escape = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|([\s\S]))/gu;
  return text.replaceAll(escape, (whole: string, short?: string, long?: string, letter = "") => {
    const code = short ?? long;
    const isRare = code === undefined ? /[xuUNabfv0-7]/.test(letter) : /^d[89a-f]../i.test(code);
    if (isRare) throw unsupported(`the escape ${whole} in a string`);
    return code === undefined ? (letters.get(letter) ?? whole) : String.fromCharCode(Number.parseInt(code, 16));
  });
}
