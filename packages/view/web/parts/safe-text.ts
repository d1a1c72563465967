/** A run of text, or a character that is shown by its name because it cannot be seen or would turn the line around. */
export interface TextPiece {
  readonly text: string;
  /** What the character is called; absent for plain text. */
  readonly mark?: string;
}

const names: Readonly<Record<number, string>> = {
  0x00: "NUL",
  0x07: "BEL",
  0x08: "BS",
  0x0b: "VT",
  0x0c: "FF",
  0x0d: "CR",
  0x1b: "ESC",
  0x7f: "DEL",
  0xad: "SHY",
  0x61c: "ALM",
  0x200b: "ZWSP",
  0x200c: "ZWNJ",
  0x200d: "ZWJ",
  0x200e: "LRM",
  0x200f: "RLM",
  0x2028: "LS",
  0x2029: "PS",
  0x202a: "LRE",
  0x202b: "RLE",
  0x202c: "PDF",
  0x202d: "LRO",
  0x202e: "RLO",
  0x2060: "WJ",
  0x2066: "LRI",
  0x2067: "RLI",
  0x2068: "FSI",
  0x2069: "PDI",
  0xfeff: "BOM",
};

/**
 * Controls but tab and line feed, C1 controls, soft hyphen, direction marks, overrides and isolates, zero widths, line separators, fillers
 * that look like nothing, variation selectors' supplement and tags, and halves of surrogate pairs.
 */
const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}\ud800-\udfff]/gu;

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
export function visibleLine(text: string, most = 200): string {
  const { shown, rest } = cutText(text, most);
  const line = visiblePieces(shown)
    .map(({ text: plain, mark }) => (mark === undefined ? plain : `[${mark}]`))
    .join("")
    .replace(/\s+/gu, " ");
  return rest > 0 ? `${line}…` : line;
}

/** The first part of a text, never through the middle of a character, and how many characters (UTF-16 units) are left. */
export function cutText(text: string, most: number): { readonly shown: string; readonly rest: number } {
  if (text.length <= most) return { shown: text, rest: 0 };
  const last = text.charCodeAt(most - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? most - 1 : most;
  return { shown: text.slice(0, end), rest: text.length - end };
}

function nameOf(point: number): string {
  return names[point] ?? `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}
