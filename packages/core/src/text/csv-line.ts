type CsvCell = string | number | boolean | null;

/**
 * A row as CSV (RFC 4180), without the line feed. A text that a spreadsheet would run as a formula begins with an apostrophe.
 * @param onDefused - hears of each such text
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

/** As spreadsheets see it: a sign of a formula first, whatever blank is before it; numbers are none. */
function isFormula(text: string): boolean {
  return /^[\s\0]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(text) && !/^[+-]?\d+(?:\.\d+)?$/u.test(text);
}
