import { wordTable } from "@laconic/core/checks";
import { withoutThoughts } from "@laconic/core/text";
import commands from "../../assets/style-commands.json" with { type: "json" };
import { closingBraceAt } from "./boxes.ts";

/** Characters at the end of a reply. */
const longestReply = 100_000;

/**
 * Normalises replies and golds: no thoughts, deleted text, emphasis or style commands; plain characters, line ends and
 * digits.
 */
export function readReply(reply: string): string {
  const text = plainCharacters(reply.slice(-longestReply)).replaceAll(/\r\n?|\u2028|\u2029/gu, "\n");
  return withPlainDigits(withoutStyles(withoutEmphasis(withoutThoughts(text)).replaceAll(doubled, "\\")));
}

/** `\\\\` before other commands ends a matrix row. */
const doubled =
  /(?<!\\)\\\\(?=(?:boxed|text|left|right|[dt]?frac|sqrt|begin|le|ge|leq|geq|infty|pi|cup|in|pm|cdot|times)(?![a-zA-Z])|[()[\]]\s)/gu;

/** Opens after a space or sign, unlike `2**3` and `a * b`. */
const emphasis = /(?<![\p{L}\p{N}*_)\]}\\^$])(\*{1,3}|_{1,3})(?=[^\s*_])([^\n]{0,300}?[^\s*_\\])\1(?![\p{L}\p{N}*_])/gu;
const deleted = /~~(?=\S)[^\n~]{1,300}?(?<=\S)~~|<(del|s|strike)>[^<\n]{0,300}<\/\1>/giu;
const tags = /<\/?(?:b|i|u|em|strong|mark|span|center|font|sub|sup)(?:\s[^<>]{0,80})?>/giu;

function withoutEmphasis(text: string): string {
  const retained = text.includes("<") ? text.replaceAll(tags, "") : text;
  const shown = /~~|<(?:del|s|strike)>/iu.test(retained) ? retained.replaceAll(deleted, " ") : retained;
  if (!/[*_]/u.test(shown)) return shown;
  // Twice, for bold inside italics.
  return shown.replaceAll(emphasis, "$2").replaceAll(emphasis, "$2");
}

const separator = String.raw`(?:\s?\{\s*,\s*\}\s?|,?\\[,;:! ]\s?|~|[\u00a0\u2009\u202f'’])`;
const thousands = new RegExp(String.raw`(?<![\d.,])([1-9]\d{0,2})((?:${separator}\d{3})+)(?!\d)`, "gu");
const decimalComma = /(?<=\d)\s?\{\s*,\s*\}\s?(?=\d)/gu;
/** `12,34,567`, as in India. */
const lakhs = /(?<![\d.,([]|\\\{)[1-9]\d?(?:,\d{2})+,\d{3}(?![\d,])/gu;

function withPlainDigits(text: string): string {
  return text
    .replaceAll(thousands, (_, first: string, groups: string) => first + groups.replaceAll(/\D/gu, ""))
    .replaceAll(decimalComma, ".")
    .replaceAll(lakhs, (number) => number.replaceAll(",", ""));
}

/** Zero width, soft hyphens, variation selectors, direction marks and isolates. */
const invisible = /[\u00ad\u061c\u180e\u200b-\u200f\u2060-\u2064\u2066-\u206f\ufeff]|\u034f|\p{Variation_Selector}/gu;
/** Text under a direction override, displayed differently. */
const overridden = /[\u202d\u202e][^\u202c\n]*\u202c?/gu;
const embedding = /[\u202a-\u202c]/gu;
const fullWidth = /[\uff01-\uff5e\u3000\ufe63\u3002]/gu;
/** Arabic, Persian and Devanagari digits. */
const digit = /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]/gu;

/** Replaces full-width characters. Text under a direction override becomes one unreadable character. */
function plainCharacters(text: string): string {
  return text
    .replaceAll(overridden, "\ufffd")
    .replaceAll(invisible, "")
    .replaceAll(embedding, "")
    .replaceAll(digit, (item) => {
      const code = item.codePointAt(0)!;
      return String((code & 15) - (code >= 0x966 ? 6 : 0));
    })
    .replaceAll(fullWidth, (item) => {
      if (item === "\u3000") return " ";
      if (item === "\ufe63") return "-";
      return item === "\u3002" ? "." : String.fromCodePoint(item.codePointAt(0)! - 0xfee0);
    });
}

/**
 * Style commands in `assets/style-commands.json`, by arguments and output:
 * - `declaration`: neither; `fence`: size of a bracket.
 * - `wrapper`, `alphabet`, `bold`, `text`: show their argument; as mathematics, in an alphabet, as unit vectors, as
 * text.
 * - `colour` takes a colour; `coloured` also an argument; `framed` two colours and an argument.
 * - `hidden`: outside the answer, as in `\tag{1}`.
 */
type Style = keyof typeof commands;
const styles: Readonly<Record<string, Style>> = wordTable(
  Object.fromEntries(
    Object.entries(commands).flatMap(([style, names]) => names.split(" ").map((name) => [name, style as Style])),
  ),
);

/** Deeper groups keep their commands. */
const deepest = 100;
const command = /\\(?:([a-zA-Z]+)\*?|[^a-zA-Z])/gsu;
const colours = String.raw`(?:\s*(?:\[[a-zA-Z]{1,10}\]\s*)?\{[^{}]{1,40}\})`;
const hiddenBehind: Readonly<Partial<Record<Style, string>>> = {
  fence: String.raw`(?:\s*\.)?`,
  colour: `${colours}?`,
  coloured: `${colours}?`,
  framed: `${colours}{0,2}`,
};
const withoutArgument: ReadonlySet<string> = new Set<Style>(["declaration", "fence", "colour"]);
const openings = Object.fromEntries(
  (Object.keys(commands) as Style[]).map((style) => {
    const brace = withoutArgument.has(style) ? "" : String.raw`(?<brace>\s*\{)?`;
    return [style, new RegExp(`${hiddenBehind[style] ?? ""}${brace}`, "uy")];
  }),
) as Readonly<Record<Style, RegExp>>;

/** Removes style commands; text commands become `\text{...}`. */
function withoutStyles(text: string, depth = 0): string {
  if (!text.includes("\\") || depth > deepest) return text;
  let shown = "";
  let read = 0;
  for (const { 0: token, 1: name = "", index } of text.matchAll(command)) {
    const style = styles[name];
    if (index < read || style === undefined) continue;
    shown += text.slice(read, index);
    const opening = openings[style];
    opening.lastIndex = index + token.length;
    const { brace } = opening.exec(text)?.groups ?? {};
    const start = opening.lastIndex;
    if (brace === undefined) {
      // A following letter is not part of the name.
      shown += style !== "fence" && /[a-zA-Z]/u.test(text[start] ?? "") ? " " : "";
      read = start;
      continue;
    }
    // Unclosed groups show their content.
    const close = closingBraceAt(text, start);
    const content = withoutStyles(text.slice(start, close === -1 ? text.length : close), depth + 1);
    shown += shownAs(style, content, shown.slice(-20));
    read = close === -1 ? text.length : close + 1;
  }
  return shown + text.slice(read);
}

/** Two letters, and unit characters. */
const word = /^(?:[\s.\-/^{}\d\p{L}]|\\(?:[,;: ]|cdot(?![a-zA-Z])))*$/u;
const twoLetters = /\p{L}(?:[^\p{L}]|\\cdot)*\p{L}/u;
/** A power, index or command needs braces. */
const braced = /[\^_]\s*$|\\[a-zA-Z]+\s*$/u;
/** A following letter is a unit. */
const measured = /[\d})]\s*(?:\\[,;: ]|~)\s*$/u;

function shownAs(style: Style, content: string, before: string): string {
  if (style === "hidden") return " ";
  const isWord = word.test(content) && twoLetters.test(content);
  const isUnit = style === "alphabet" && measured.test(before) && /^\s*[A-Zgms]\s*$/u.test(content);
  const isText = style === "text" ? !/^\s*[-+]?\d[\d.,]*\s*$/u.test(content) : style !== "wrapper" && isWord;
  if (style === "bold" && /^\s*[ijk]\s*$/u.test(content)) return `\\mathbf{${content}}`;
  if (isText || isUnit) return style === "text" && content.startsWith("\\text{") ? content : `\\text{${content}}`;
  return braced.test(before) ? `{${content}}` : content;
}
