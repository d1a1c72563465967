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

/** First and last of each kind. */
const hiddenPoints: readonly (readonly [first: number, last: number])[] = [
  // Controls but tab and line feed; the C1 controls.
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  // Soft hyphen, grapheme joiner, letter mark, fillers that look like nothing, vowels without a form, Mongolian selectors.
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  // Zero widths, marks of direction, line separators, embeddings and overrides; joiners and isolates.
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  // Halves of surrogate pairs.
  [0xd800, 0xdfff],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  // Tags, and selectors of variants.
  [0xe0000, 0xe0fff],
];

const hidden = new RegExp(
  `[${hiddenPoints.map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`).join("")}]`,
  "gu",
);

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
  return names[point] ?? `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}
