/** C0 but for tab and line feed, delete and C1, which XML forbids or terminals obey. */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu;
/** Direction overrides, separators and invisible characters. Joiners stay: scripts need them. */
const deceivers = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/gu;

/**
 * Text with hidden content visible: control characters, direction overrides and invisible characters as their code (`⟨U+202E⟩`),
 * unpaired surrogates as U+FFFD. Tabs and line ends stay.
 */
export function visibleText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(controls, named)
    .replaceAll(deceivers, named)
    .replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

function named(character: string): string {
  return `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text for an HTML or SVG text node or quoted attribute, with {@link visibleText}. */
export function escapeHtml(text: string): string {
  return visibleText(text).replaceAll(/[&<>"']/g, (character) => entities[character] as string);
}

type CsvCell = string | number | boolean | null;

/**
 * A row as CSV (RFC 4180), without the line feed. Texts that a spreadsheet would run as a formula get an apostrophe.
 * @param onDefused - called for each such text
 */
export function csvLine(cells: readonly CsvCell[], onDefused: () => void = () => undefined): string {
  return cells
    .map((cell) => {
      if (typeof cell !== "string") return cell === null ? "" : String(cell);
      const isDefused = isFormula(cell);
      if (isDefused) onDefused();
      const safe = isDefused ? `'${cell}` : cell;
      return /[",\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    })
    .join(",");
}

/** As spreadsheets read it: leading blanks and a formula sign; plain numbers are not formulas. */
function isFormula(text: string): boolean {
  return /^[\s\0]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(text) && !/^[+-]?\d+(?:\.\d+)?$/u.test(text);
}

/**
 * A text as one word of a shown command line, quoted if needed. Double quotes work in every shell; single ones are for texts
 * with `"`, `$`, backquote, `!` or a final backslash.
 * @example shellWord("runs/my run") // "runs/my run", with its quotes
 */
export function shellWord(text: string): string {
  if (/^[\p{L}\p{N}_@%+=:,./-]+$/u.test(text)) return text;
  return /["$`!]|\\$/u.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`;
}
