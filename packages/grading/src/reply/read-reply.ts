import { withoutThoughts } from "@laconic/core/text";
import { withoutStyles } from "./latex-styles.ts";
import { plainCharacters } from "./plain-characters.ts";

/** Characters of a reply that are read: the last ones, where answers are. */
const longestReply = 100_000;

/**
 * The one form in which graders read replies and golds: without thoughts, deleted text, emphasis and style commands, with plain
 * characters, line endings and digits. Published rules read the raw reply instead.
 */
export function readReply(reply: string): string {
  const text = plainCharacters(reply.slice(-longestReply)).replaceAll(/\r\n?|\u2028|\u2029/gu, "\n");
  return withPlainDigits(withoutStyles(withoutEmphasis(withoutThoughts(text)).replaceAll(doubled, "\\")));
}

/** A backslash that was escaped twice; `\\\\` in front of other commands ends the row of a matrix. */
const doubled =
  /(?<!\\)\\\\(?=(?:boxed|text|left|right|[dt]?frac|sqrt|begin|le|ge|leq|geq|infty|pi|cup|in|pm|cdot|times)(?![a-zA-Z])|[()[\]]\s)/gu;

/** An emphasis mark opens behind a space or a sign and in front of a character; so `2**3` and `a * b` are not emphasis. */
const emphasis = /(?<![\p{L}\p{N}*_)\]}\\^$])(\*{1,3}|_{1,3})(?=[^\s*_])([^\n]{0,300}?[^\s*_\\])\1(?![\p{L}\p{N}*_])/gu;
const deleted = /~~(?=\S)[^\n~]{1,300}?(?<=\S)~~|<(del|s|strike)>[^<\n]{0,300}<\/\1>/giu;
const tags = /<\/?(?:b|i|u|em|strong|mark|span|center|font|sub|sup)(?:\s[^<>]{0,80})?>/giu;

function withoutEmphasis(text: string): string {
  const kept = text.includes("<") ? text.replaceAll(tags, "") : text;
  const shown = /~~|<(?:del|s|strike)>/iu.test(kept) ? kept.replaceAll(deleted, " ") : kept;
  if (!/[*_]/u.test(shown)) return shown;
  // Twice: bold inside of italics.
  return shown.replaceAll(emphasis, "$2").replaceAll(emphasis, "$2");
}

const separator = String.raw`(?:\s?\{\s*,\s*\}\s?|,?\\[,;:! ]\s?|~|[\u00a0\u2009\u202f'’])`;
const thousands = new RegExp(String.raw`(?<![\d.,])([1-9]\d{0,2})((?:${separator}\d{3})+)(?!\d)`, "gu");
const decimalComma = /(?<=\d)\s?\{\s*,\s*\}\s?(?=\d)/gu;
/** `12,34,567`, as in India; within brackets it is a list. */
const lakhs = /(?<![\d.,([]|\\\{)[1-9]\d?(?:,\d{2})+,\d{3}(?![\d,])/gu;

/** Numbers without typographic thousands separators. A comma is left: it may separate a list. */
function withPlainDigits(text: string): string {
  return text
    .replaceAll(thousands, (_, first: string, groups: string) => first + groups.replaceAll(/\D/gu, ""))
    .replaceAll(decimalComma, ".")
    .replaceAll(lakhs, (number) => number.replaceAll(",", ""));
}
