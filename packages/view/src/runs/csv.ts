import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { csvLine } from "@laconic/core/text";

/** A cell: a number or null as they are; text may be a model's. */
export type Cell = Parameters<typeof csvLine>[0][number];

/** A tidy table: one observation a row. */
export interface RunTable {
  readonly columns: readonly string[];
  rows(): AsyncIterable<readonly Cell[]>;
}

/** Writes tables as CSV, and counts the texts that were defused on the way. */
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
    return csvLine(cells, () => (this.#defused += 1));
  }
}
