import { LaconicError } from "@laconic/core";
import {
  type Benchmark,
  type BenchmarkProblem,
  type KnownFile,
  type RowProblem,
  type Split,
  splitOf,
} from "./benchmark.ts";
import type { RowRefusal } from "./data-row.ts";
import { csvTable } from "./formats/csv-table.ts";
import { readRows } from "./formats/read-rows.ts";
import type { FoundFile } from "./find-files.ts";
import { readRow } from "./row-schema.ts";

/** How strictly a data file is read. */
export interface LoadOptions {
  /**
   * `strict`, the default, stops at rows that cannot be read and at a file or a number of rows that is not the known one.
   * `lenient` leaves such rows out and lists them.
   */
  readonly mode?: "strict" | "lenient";
  /** Takes a file whose bytes are not the known ones, and whatever number of rows it has. */
  readonly allowChanged?: boolean;
}

/** The problems of a split, and where they are from. */
export interface LoadedSplit {
  readonly benchmark: string;
  readonly split: string;
  readonly problems: readonly BenchmarkProblem[];
  /** Rows that were left out; none in strict mode. */
  readonly refused: readonly RowRefusal[];
  /** What else differs from what is known; none in strict mode. */
  readonly warnings: readonly string[];
  readonly files: readonly {
    readonly path: string;
    readonly sha256: string;
    readonly known: boolean;
    /** Its user put it there, and its bytes are not known: what is computed of it is of these bytes alone. */
    readonly placed?: true;
  }[];
}

/** The split's problems from files that were found. @throws LaconicError `data_invalid` with file and row */
export async function loadSplit(
  benchmark: Benchmark,
  splitName: string,
  found: readonly FoundFile[],
  { mode = "strict", allowChanged = false }: LoadOptions = {},
): Promise<LoadedSplit> {
  const split = splitOf(benchmark, splitName);
  const warnings: string[] = [];
  for (const file of found) checkKnown(benchmark, file, split.files ?? [], allowChanged, warnings);
  const refused: RowRefusal[] = [];
  const problems: BenchmarkProblem[] = [];
  const places = new Map<string, string>();
  let index = 0;
  for (const { path, bytes } of found)
    for (const each of await readRows(path, bytes, {
      ...(split.within && { within: split.within }),
      ...(benchmark.csvHeader && { csv: csvTable }),
      ...(benchmark.longestLine !== undefined && { longestLine: benchmark.longestLine }),
    })) {
      const refuse = (reason: string): void => void refused.push({ file: each.file, row: each.row, reason });
      const number = index++;
      if ("reason" in each) {
        refuse(each.reason);
        continue;
      }
      const read = readRow(benchmark.row, withPlace(each.value, each.file));
      if ("reason" in read) {
        refuse(read.reason);
        continue;
      }
      if (benchmark.keep && !benchmark.keep(read.problem)) continue;
      const problem = named(read.problem, `${benchmark.name}/${splitName}/${number}`);
      const before = places.get(problem.id);
      if (before !== undefined) {
        refuse(`id ${problem.id} is that of ${before} too`);
        continue;
      }
      places.set(problem.id, `${each.file} row ${each.row}`);
      problems.push(problem);
    }
  if (mode === "strict" && refused.length > 0) throw refusal(benchmark, refused);
  const selected = benchmark.select?.(problems, splitName) ?? problems;
  const placed = found.some((file) => file.placed);
  checkRows(benchmark, splitName, split, selected.length, mode === "strict" && !allowChanged && !placed, warnings);
  return {
    benchmark: benchmark.name,
    split: splitName,
    problems: selected,
    refused,
    warnings,
    files: found.map(({ path, sha256, placed: own }) => ({
      path,
      sha256,
      known: isKnown(sha256, split.files ?? []) || sha256 === split.placed?.sha256,
      ...(own && { placed: own }),
    })),
  };
}

/** Rows of an archive's CSV do not say which subject they are of; their file does. */
function withPlace(value: unknown, file: string): unknown {
  return Array.isArray(value) ? { cells: value, file } : value;
}

function named(problem: RowProblem, id: string): BenchmarkProblem {
  return { ...problem, id: problem.id ?? id };
}

function isKnown(sha256: string, known: readonly KnownFile[]): boolean {
  return known.some((each) => each.sha256 === sha256);
}

function checkKnown(
  benchmark: Benchmark,
  { path, sha256, expected }: FoundFile,
  known: readonly KnownFile[],
  allowChanged: boolean,
  warnings: string[],
): void {
  const wanted = expected ?? known.find((each) => path.endsWith(each.path))?.sha256;
  if (wanted === undefined || wanted === sha256 || isKnown(sha256, known)) return;
  const message = `${path} is not the ${benchmark.title} that is known: its sha256 is ${sha256}, expected ${wanted}`;
  if (!allowChanged)
    throw new LaconicError("data_invalid", `${message}; get it again, or allow a changed file`, { file: path, sha256 });
  warnings.push(message);
}

function checkRows(
  { title }: Benchmark,
  name: string,
  { rows }: Split,
  count: number,
  strict: boolean,
  warnings: string[],
): void {
  if (count === rows) return;
  const message = `${title}, split ${name}: ${count} problems, expected ${rows}`;
  if (strict) throw new LaconicError("data_invalid", message, { problems: count, expected: rows });
  warnings.push(message);
}

/** The first few rows in words, so that one look tells whether it is one row or the whole file. */
function refusal({ title }: Benchmark, refused: readonly RowRefusal[]): LaconicError {
  const shown = refused.slice(0, 3).map(({ file, row, reason }) => `${file} row ${row}: ${reason}`);
  const more = refused.length > shown.length ? ` (and ${refused.length - shown.length} more)` : "";
  const { file, row } = refused[0] as RowRefusal;
  return new LaconicError("data_invalid", `${title}: ${shown.join(" | ")}${more}; lenient mode leaves such rows out`, {
    file,
    row,
    refused: refused.length,
  });
}
