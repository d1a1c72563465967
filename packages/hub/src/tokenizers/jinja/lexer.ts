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
  const source = template.replaceAll(/\r\n?/g, "\n").replace(/\n$/, "");
  const tokens: Token[] = [];
  let [position, line] = [0, 1];
  const advance = (end: number): void => {
    for (; position < end; position++) if (source[position] === "\n") line++;
  };
  const push = (kind: Token["kind"], text: string): void =>
    void tokens.push({ kind, text, value: kind === "number" ? numberOf(text) : null, line });
  const matchOf = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    return pattern.exec(source);
  };
  /** Text before a tag, without the indentation of a tag that starts its line. */
  const readText = (end: number, sign: string, isOutput: boolean): void => {
    let text = source.slice(position, end);
    const start = text.lastIndexOf("\n") + 1;
    const beginsLine = start > 0 || position === 0 || source[position - 1] === "\n";
    const isIndented = sign === "" && !isOutput && beginsLine && stripped(text.slice(start), null) === "";
    if (sign === "-") text = stripped(text, null, false, true);
    else if (isIndented) text = text.slice(0, start);
    if (text !== "") push("text", text);
  };
  const readTag = (opening: string, closing: string, end: RegExp): void => {
    push("operator", opening);
    let depth = 0;
    while (true) {
      const close = depth > 0 ? null : matchOf(end);
      const match = close ?? matchOf(token);
      if (!match && position < source.length)
        throw syntaxError(`unexpected character ${JSON.stringify(source[position])}`, line);
      if (!match) return;
      const [text] = match;
      for (const kind of ["name", "number", "string", "operator"] as const)
        if (match.groups?.[kind] !== undefined) push(kind, kind === "string" ? unescaped(text.slice(1, -1)) : text);
      depth += close ? 0 : "([{".includes(text) ? 1 : ")]}".includes(text) ? -1 : 0;
      if (close) push("operator", closing);
      advance(position + text.length);
      if (close) return;
    }
  };
  for (let match = matchOf(tag); match; match = matchOf(tag)) {
    const [whole, rawSign, opening, sign = ""] = match;
    readText(match.index, rawSign ?? sign, opening === "{{");
    advance(match.index + whole.length);
    if (opening === "{{") readTag("{{", "}}", outputEnd);
    else if (opening === "{%") readTag("{%", "%}", blockEnd);
    else {
      const end = matchOf(opening === "{#" ? commentEnd : rawEnd);
      if (!end) throw syntaxError(`the end of ${opening === "{#" ? "a comment" : "raw"} is missing`, line);
      if (opening !== "{#") readText(end.index, end[1] ?? "", false);
      advance(end.index + end[0].length);
    }
  }
  readText(source.length, "+", false);
  advance(source.length);
  push("eof", "");
  return tokens;
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
