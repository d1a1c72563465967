/** A run of text, or a character that is shown by its name because it cannot be seen or would turn the line around. */
interface TextPiece {
  readonly text: string;
  /** What the character is called; absent for plain text. */
  readonly mark?: string;
}

/**
 * Characters that cannot be seen or that turn a line around: controls but tab and line feed, format characters, halves of surrogate
 * pairs, line separators, and fillers and selectors that look like nothing.
 */
const hidden =
  /(?![\t\n])(?:[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0\u{E0000}-\u{E0FFF}]|[\u17B4\u17B5]|[\u180B-\u180F]|\u034F)/gu;

/** More marks in a row of one text than anybody reads: the pages stay small. */
const marksAtMost = 2000;

/** Cuts text into what is shown as it is and what is shown by name; joined again, the plain parts and marked characters are the text. */
export function visiblePieces(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(hidden)) {
    if (pieces.length >= marksAtMost) break;
    if (index > from) pieces.push({ text: text.slice(from, index) });
    pieces.push({ text: character, mark: nameOf(character.codePointAt(0) as number) });
    from = index + character.length;
  }
  // Of a text that is mostly marks, the rest is shown with one sign for each.
  if (from < text.length)
    pieces.push({ text: pieces.length < marksAtMost ? text.slice(from) : text.slice(from).replace(hidden, "·") });
  return pieces;
}

/** The same in one line, for titles, lists and labels: marks in brackets, ends of lines as spaces. */
export function visibleLine(text: string, max = 200): string {
  const { shown, rest } = cutText(text, max);
  const line = visiblePieces(shown)
    .map(({ text: plain, mark }) => (mark === undefined ? plain : `[${mark}]`))
    .join("")
    .replace(/\s+/gu, " ");
  return rest > 0 ? `${line}…` : line;
}

/** The first part of a text, never through the middle of a character, and how many characters (UTF-16 units) are left. */
export function cutText(text: string, max: number): { readonly shown: string; readonly rest: number } {
  if (text.length <= max) return { shown: text, rest: 0 };
  const last = text.charCodeAt(max - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? max - 1 : max;
  return { shown: text.slice(0, end), rest: text.length - end };
}

function nameOf(point: number): string {
  return `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}
