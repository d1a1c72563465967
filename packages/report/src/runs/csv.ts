import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A cell: a number or null as they are; text may be a model's. */
export type Cell = string | number | boolean | null;

/** A tidy table: one observation a row. */
export interface RunTable {
  readonly columns: readonly string[];
  rows(): AsyncIterable<readonly Cell[]>;
}

/** Writes tables as CSV (RFC 4180), and counts the texts that were defused on the way. */
export class CsvWriter {
  #defused = 0;

  /** Texts that a spreadsheet would have run as a formula: they begin with an apostrophe now. */
  get defused(): number {
    return this.#defused;
  }

  /** The header and every row, without line feeds. */
  async *lines({ columns, rows }: RunTable): AsyncGenerator<string> {
    yield this.line(columns);
    for await (const cells of rows()) yield this.line(cells);
  }

  /** @returns how many rows there are behind the header */
  async write(table: RunTable, file: string): Promise<number> {
    let rows = -1;
    const lines = this.lines(table);
    const counted = async function* (): AsyncGenerator<string> {
      for await (const line of lines) {
        rows += 1;
        yield `${line}\n`;
      }
    };
    await pipeline(Readable.from(counted()), createWriteStream(file));
    return rows;
  }

  /** Of a row, without the line feed. */
  line(cells: readonly Cell[]): string {
    return cells.map((cell) => this.#text(cell)).join(",");
  }

  #text(cell: Cell): string {
    if (cell === null) return "";
    if (typeof cell !== "string") return String(cell);
    const safe = isFormula(cell) ? `'${cell}` : cell;
    if (safe !== cell) this.#defused += 1;
    return /[",\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  }
}

/** As spreadsheets see it: a sign of a formula first, whatever blank is before it; numbers are none. */
function isFormula(text: string): boolean {
  return /^[\s\0]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(text) && !/^[+-]?\d+(?:\.\d+)?$/u.test(text);
}
