import { cutText } from "../../src/data/texts.ts";

/** A hidden or direction character is shown by name. */
interface TextPiece {
  readonly text: string;
  readonly mark?: string;
}

/**
 * Controls except tab and line feed, format characters, half surrogates, line separators, and invisible fillers and
 * selectors.
 */
const hidden =
  /(?![\t\n])(?:[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0\u{E0000}-\u{E0FFF}]|[\u17B4\u17B5]|[\u180B-\u180F]|\u034F)/gu;

/** Limits the page size. */
const marksAtMost = 2000;

/** The joined pieces are the text. */
export function visiblePieces(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(hidden)) {
    if (pieces.length >= marksAtMost) break;
    if (index > from) pieces.push({ text: text.slice(from, index) });
    const point = character.codePointAt(0)!.toString(16).toUpperCase();
    pieces.push({ text: character, mark: `U+${point.padStart(4, "0")}` });
    from = index + character.length;
  }
  // Further hidden characters show one sign each.
  if (from < text.length)
    pieces.push({ text: pieces.length < marksAtMost ? text.slice(from) : text.slice(from).replace(hidden, "·") });
  return pieces;
}

/** Named characters in brackets, line ends as spaces. */
export function visibleLine(text: string, max = 200): string {
  const { shown, rest } = cutText(text, max);
  const line = visiblePieces(shown)
    .map(({ text: plain, mark }) => (mark === undefined ? plain : `[${mark}]`))
    .join("")
    .replace(/\s+/gu, " ");
  return rest > 0 ? `${line}…` : line;
}
