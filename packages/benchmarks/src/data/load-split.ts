import { dataError, present } from "@laconic/core";
import { type Benchmark, type BenchmarkProblem, type KnownFile, partOf, splitOf } from "./benchmark.ts";
import { describeRefused, RowProblems, type RowRefusal } from "./data-row.ts";
import { csvTable } from "./formats/csv.ts";
import { readRows } from "./formats/read-rows.ts";
import { sha256 as digestOf } from "@laconic/core/files";
import { stepsRows } from "../steps/splits.ts";
import { readRow } from "./row-schema.ts";

/** A data file in memory. */
export interface FoundFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  /** SHA-256 of an earlier load. */
  readonly expected?: string;
  /** Unknown bytes of a user's file. */
  readonly placed?: true;
}

/** How strictly files are read. */
export interface LoadOptions {
  /** `strict` (default) stops at unreadable rows, unknown files and row counts; `lenient` lists them. */
  readonly mode?: "strict" | "lenient";
  /** Accepts other bytes and row counts. */
  readonly allowChanged?: boolean;
}

/** Problems with their files. */
export interface LoadedSplit {
  readonly benchmark: string;
  readonly split: string;
  readonly problems: readonly BenchmarkProblem[];
  /** Empty in strict mode. */
  readonly refused: readonly RowRefusal[];
  /** Empty in strict mode. */
  readonly warnings: readonly string[];
  readonly files: readonly {
    readonly path: string;
    readonly sha256: string;
    readonly known: boolean;
    readonly placed?: true;
  }[];
}

/**
 * Loads a split.
 * @throws LaconicError `data_invalid`
 */
export async function loadSplit(
  benchmark: Benchmark,
  splitName: string,
  matches: readonly FoundFile[],
  { mode = "strict", allowChanged = false }: LoadOptions = {},
): Promise<LoadedSplit> {
  const split = splitOf(benchmark, splitName);
  const warnings: string[] = [];
  for (const file of matches) checkKnown(benchmark, file, split.files ?? [], allowChanged, warnings);
  const rows = new RowProblems();
  const [base] = benchmark.name.split("/");
  let index = 0;
  for (const { path, bytes } of matches)
    for (const dataRow of await readRows(path, bytes, {
      ...present({ within: split.within }),
      ...(benchmark.csvHeader && { csv: csvTable }),
      ...present({ longestLine: benchmark.longestLine }),
    }))
      rows.add(dataRow, `${base}/${splitName}/${index++}`, (value) => {
        // The file name has the subject.
        const read = readRow(benchmark.row, Array.isArray(value) ? { cells: value, file: dataRow.file } : value);
        return "reason" in read || (benchmark.keep?.(read.problem) ?? true) ? read : null;
      });
  const { refused } = rows;
  const problems = Array.from(rows.problems.values(), ({ problem }) => problem);
  if (mode === "strict" && refused.length > 0) {
    const { text, detail } = describeRefused(refused, "");
    throw dataError(`${benchmark.title}: ${text}; lenient mode leaves such rows out`, detail);
  }
  const chosen = benchmark.select?.(problems, splitName) ?? problems;
  const selected = split.part ? partOf(chosen, split.part) : chosen;
  const placed = matches.some((file) => file.placed);
  const [problemCount, expected] = [selected.length, split.rows];
  if (problemCount !== expected) {
    const message = `${benchmark.title}, split ${splitName}: ${problemCount} problems, expected ${expected}`;
    if (mode === "strict" && !allowChanged && !placed) throw dataError(message, { problems: problemCount, expected });
    warnings.push(message);
  }
  return {
    benchmark: benchmark.name,
    split: splitName,
    problems: selected,
    refused,
    warnings,
    files: matches.map(({ path, sha256, placed: own }) => ({
      path,
      sha256,
      known: isKnown(sha256, split.files ?? []) || [split.placed?.sha256, split.made?.sha256].includes(sha256),
      ...(own && { placed: own }),
    })),
  };
}

/** Rows of a split that has no files; null for others. */
export function madeFile({ splits }: Pick<Benchmark, "splits">, name: string): FoundFile | null {
  const { made, rows } = splits[name] ?? {};
  if (!made || rows === undefined) return null;
  const bytes = new TextEncoder().encode(stepsRows(name, made.family, rows));
  return { path: `${name}.jsonl`, bytes, sha256: digestOf(bytes), expected: made.sha256 };
}

function isKnown(sha256: string, known: readonly KnownFile[]): boolean {
  return known.some((knownFile) => knownFile.sha256 === sha256);
}

function checkKnown(
  benchmark: Benchmark,
  { path, sha256, expected }: FoundFile,
  known: readonly KnownFile[],
  allowChanged: boolean,
  warnings: string[],
): void {
  const wanted = expected ?? known.find((knownFile) => path.endsWith(knownFile.path))?.sha256;
  if (wanted === undefined || wanted === sha256 || isKnown(sha256, known)) return;
  const message = `${path} is not the ${benchmark.title} that is known: its sha256 is ${sha256}, expected ${wanted}`;
  if (!allowChanged) throw dataError(`${message}; get it again, or allow a changed file`, { file: path, sha256 });
  warnings.push(message);
}
