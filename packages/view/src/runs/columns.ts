/** Aligns cells in columns, two spaces apart. */
export function columnsOf(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] as number))
      .join("  ")
      .trimEnd(),
  );
}

/** Spells out control and direction characters. */
export function printable(text: string): string {
  return text.replaceAll(hidden, (char) => `\\u{${(char.codePointAt(0) as number).toString(16)}}`);
}

const hidden = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;
