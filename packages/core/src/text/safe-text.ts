/** C0 except tab and line feed, delete, and C1; XML forbids them or terminals obey them. */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu;
/** Direction overrides, separators and invisible characters, except joiners, which scripts need. */
const deceivers = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/gu;

/**
 * Makes hidden content visible: control, direction and invisible characters as codes (`⟨U+202E⟩`), unpaired surrogates
 * as U+FFFD. Tabs and line ends stay.
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

/** Escapes text for an HTML or SVG text node or quoted attribute, with {@link visibleText}. */
export function escapeHtml(text: string): string {
  return visibleText(text).replaceAll(/[&<>"']/g, (character) => entities[character]!);
}

type CsvCell = string | number | boolean | null;

/**
 * Row as CSV (RFC 4180) without line feed. Text that a spreadsheet would run as a formula gets an apostrophe.
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

/** Spreadsheets skip leading blanks; plain numbers are not formulas. */
function isFormula(text: string): boolean {
  return /^[\s\0]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(text) && !/^[+-]?\d+(?:\.\d+)?$/u.test(text);
}

/**
 * Quotes text for a displayed command line, if needed. Double quotes work in every shell; single quotes are for text
 * with `"`, `$`, backquote, `!` or a final backslash.
 * @example shellWord("runs/my run") // "runs/my run", with its quotes
 */
export function shellWord(text: string): string {
  if (/^[\p{L}\p{N}_@%+=:,./-]+$/u.test(text)) return text;
  return /["$`!]|\\$/u.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`;
}
