import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** The seeds of `0-4`, or of `3` alone. */
export function seedsOf(range: string): number[] {
  const [first = 0, last = first] = range.split("-").map(Number);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** The rows that a file has, which are not made again; none where there is no file. */
export function keptRows<Row>(file: string | undefined): Row[] {
  const lines = file !== undefined && existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines.filter(Boolean).map((line) => JSON.parse(line) as Row);
}

/** Appends a row to a file, where one is named. */
export function keepRow(file: string | undefined, row: object): void {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`);
}

/** Prints a row, and keeps it. */
export function printRow(file: string | undefined, row: object): void {
  process.stdout.write(`${JSON.stringify(row)}\n`);
  keepRow(file, row);
}
