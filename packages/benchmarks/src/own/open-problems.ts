import { LaconicError } from "@laconic/core";
import { optionCheck } from "@laconic/core/checks";
import type { BenchmarkProblem } from "../data/benchmark.ts";
import type { DataRow, RowRefusal } from "../data/data-row.ts";
import { csvTable } from "../data/formats/csv-table.ts";
import { parquetRows } from "../data/formats/parquet.ts";
import { readRows } from "../data/formats/read-rows.ts";
import {
  checked,
  columnsRead,
  rowSettingsSchema,
  type DataGrading,
  type DataSource,
  type RowSettings,
} from "./data-settings.ts";
import { openSource, type SourceFile, type SourceOptions } from "./data-source.ts";
import { ownRow } from "./own-row.ts";

/** How rows of one's own data become problems. */
export interface ProblemOptions extends RowSettings, SourceOptions {
  /** What ids of rows without one begin with. Default `row`: `row/1` is the first. */
  readonly name?: string;
}

const checkOptions = optionCheck<ProblemOptions>()(
  "openProblems",
  "grading columns mode rows name hub signal onProgress fetch",
);

/** Problems of files, and where they are from. */
export interface OpenedProblems {
  readonly problems: readonly BenchmarkProblem[];
  /** Rows that were left out; none in strict mode. */
  readonly refused: readonly RowRefusal[];
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
  /** The source, with the commits of its data sets: gives the same problems again. */
  readonly source: DataSource;
}

/**
 * Problems of one's own files, or of a data set of the hub, with the golds that their grading takes. `gradeProblem` judges replies
 * to them as it does a benchmark's, `questionText` renders them.
 * @throws LaconicError `data_invalid` with `file` and `row` for a row that cannot be read (in lenient mode: when none can), a
 * file that cannot, or an id that two rows have; `config_invalid` naming the setting; what downloads throw
 */
export async function openProblems(source: DataSource, options: ProblemOptions): Promise<OpenedProblems> {
  const { problems, ...rest } = await openPlaced(source, options);
  return { ...rest, problems: problems.map(({ problem }) => problem) };
}

/** A problem, and the row that it is of. */
export interface PlacedProblem {
  readonly problem: BenchmarkProblem;
  readonly file: string;
  readonly row: number;
}

export async function openPlaced(
  source: DataSource,
  options: ProblemOptions,
): Promise<Omit<OpenedProblems, "problems"> & { readonly problems: readonly PlacedProblem[] }> {
  checkOptions(options);
  const { grading, columns, mode, rows, name = "row", ...reach } = options;
  const settings = checked(
    rowSettingsSchema,
    { grading, ...(columns && { columns }), ...(mode && { mode }), ...(rows !== undefined && { rows }) },
    "problems",
  );
  const most = settings.rows ?? Infinity;
  const opened = await openSource(source, reach, settings.rows !== undefined);
  const refused: RowRefusal[] = [];
  const problems = new Map<string, PlacedProblem>();
  let count = 0;
  for (const file of opened.files)
    for (const row of count < most ? await rowsOf(file, settings, most - count) : []) {
      if (count === most) break;
      count += 1;
      const read = "reason" in row ? row : ownRow(row.value, settings.grading as DataGrading, settings.columns);
      const place = { file: row.file, row: row.row };
      if ("reason" in read) {
        refused.push({ ...place, reason: read.reason });
        continue;
      }
      const problem = { ...read.value, id: read.value.id ?? `${name}/${count}` };
      const before = problems.get(problem.id);
      if (before) refused.push({ ...place, reason: `the id ${problem.id} is that of ${placeOf(before)} too` });
      else problems.set(problem.id, { ...place, problem });
    }
  if (refused.length > 0 && (settings.mode !== "lenient" || problems.size === 0))
    throw refusalOf(refused, settings.mode === "lenient");
  if (problems.size === 0)
    throw new LaconicError("data_invalid", `${opened.files.map((file) => file.name).join(", ")}: there are no rows`);
  return {
    problems: [...problems.values()],
    refused,
    files: opened.files.map(({ name: path, sha256 }) => ({ path, sha256 })),
    source: opened.pinned,
  };
}

/** `data.csv row 7` */
export function placeOf({ file, row }: Pick<PlacedProblem, "file" | "row">): string {
  return `${file} row ${row}`;
}

async function rowsOf(file: SourceFile, settings: RowSettings, most: number): Promise<readonly DataRow[]> {
  const { name } = file;
  if ("parts" in file)
    return parquetRows(name, file.parts, { rows: most, columns: columnsRead(settings), exact: true });
  const { bytes } = file;
  return readRows(name, bytes, { csv: csvTable, exact: true });
}

/** The first few rows in words, so that one look tells whether it is one row or the whole file. */
function refusalOf(refused: readonly RowRefusal[], lenient: boolean): LaconicError {
  const shown = refused.slice(0, 3).map((each) => `${placeOf(each)}: ${each.reason}`);
  const more = refused.length > shown.length ? ` (and ${refused.length - shown.length} more rows)` : "";
  const { file, row } = refused[0] as RowRefusal;
  return new LaconicError(
    "data_invalid",
    `${shown.join(" | ")}${more}; ${lenient ? "no row is left" : "mode lenient leaves such rows out"}`,
    { file, row, refused: refused.length },
  );
}
