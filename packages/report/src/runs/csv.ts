/** A cell: a number or null as they are; text may be a model's. */
export type Cell = string | number | boolean | null;

/** Lines of CSV (RFC 4180), and how many texts were defused on the way. */
export interface CsvWriter {
  /** Of a row, without the line feed. */
  line(cells: readonly Cell[]): string;
  /** Texts that a spreadsheet would have run as a formula: they begin with an apostrophe now. */
  readonly defused: number;
}

export function csvWriter(): CsvWriter {
  let defused = 0;
  const cellText = (cell: Cell): string => {
    if (cell === null) return "";
    if (typeof cell !== "string") return String(cell);
    const safe = isFormula(cell) ? `'${cell}` : cell;
    if (safe !== cell) defused += 1;
    return /[",\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return {
    line: (cells) => cells.map((cell) => cellText(cell)).join(","),
    get defused() {
      return defused;
    },
  };
}

/** As spreadsheets see it: a sign of a formula first, whatever blank is before it; numbers are none. */
function isFormula(text: string): boolean {
  return /^[\s\0]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(text) && !/^[+-]?\d+(?:\.\d+)?$/u.test(text);
}
