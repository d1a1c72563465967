import type { TokenKinds } from "@laconic/core/ledger";
import { csvLine, formatCells } from "@laconic/core/text";

/** Table as texts; an empty title has no heading. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Heading and cell of a column; its numbers get equal decimals. */
export type Column<Row> = readonly [heading: string, cell: (row: Row) => number | string];

/** Table of rows by their columns. */
export function tableOf<Row>(title: string, rows: readonly Row[], columns: readonly Column<Row>[]): Table {
  return {
    title,
    columns: columns.map(([heading]) => heading),
    rows: formatCells(rows.map((row) => columns.map(([, cell]) => cell(row)))),
  };
}

export function unlessEmpty(table: Table): Table | null {
  return table.rows.length === 0 ? null : table;
}

const kindTitles = { cachedTokens: "cached", cacheWriteTokens: "cache writes", reasoningTokens: "reasoning" } as const;

export function kindColumns<Row extends TokenKinds>(
  rows: readonly Row[],
  unit: string,
  cell: (row: Row, count: number) => number | string,
): Column<Row>[] {
  return (Object.keys(kindTitles) as (keyof typeof kindTitles)[])
    .filter((kind) => rows.some((row) => row[kind] !== undefined))
    .map((kind) => [`${kindTitles[kind]}${unit}`, (row) => cell(row, row[kind] ?? 0)]);
}

/** Markdown table under a second-level heading. */
export function markdownOf({ title, columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const heading = title === "" ? [] : [`## ${title}`, ""];
  return [...heading, line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

/** CSV table. */
export function csvOf({ columns, rows }: Table): string {
  return [columns, ...rows].map((row) => csvLine(row)).join("\n");
}

/** LaTeX `tabular` with booktabs rules; the title is a comment. */
export function latexOf({ title, columns, rows }: Table): string {
  const cell = (text: string) => text.replaceAll("\\", "\\textbackslash ").replaceAll(/[&%$#_{}]/gu, "\\$&");
  const line = (row: readonly string[]) => `${row.map(cell).join(" & ")} \\\\`;
  return [
    `% ${title.replaceAll("\n", " ")}`,
    `\\begin{tabular}{l${"r".repeat(columns.length - 1)}}`,
    "\\toprule",
    line(columns),
    "\\midrule",
    ...rows.map(line),
    "\\bottomrule",
    "\\end{tabular}",
  ].join("\n");
}
