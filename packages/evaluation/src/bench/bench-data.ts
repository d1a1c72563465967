import { basename, resolve } from "node:path";
import {
  benchmarks,
  openProblems,
  rowSettingsSchema,
  seededSubset,
  type DataColumns,
  type OpenedProblems,
  type RowSettings,
} from "@laconic/benchmarks";
import { configError, LaconicError, dataError } from "@laconic/core";
import { sha256 as sha256Of } from "@laconic/core/files";
import { boundedJson } from "@laconic/core/json";
import { parseBy } from "@laconic/core/schemas";
import type { BenchSet } from "../bench-job.ts";
import type { HubEnvironment } from "@laconic/hub";
import { z } from "zod";

/** Custom questions of a bench. */
export interface BenchData {
  readonly name: string;
  /** File, or `hub:owner/name@commit/files`. */
  readonly source: string;
  readonly rows: RowSettings;
  readonly questions: number;
  /** SHA-256 of the files, checked on resume. */
  readonly sha256: string;
}

export const benchDataSchema: z.ZodType<BenchData> = z.strictObject({
  name: z.string().min(1),
  source: z.string().min(1),
  rows: rowSettingsSchema,
  questions: z.int().min(1),
  sha256: z.string(),
});

export interface DataArguments {
  readonly data?: string | undefined;
  readonly grading?: string | undefined;
  readonly columns?: string | undefined;
  readonly lenient?: boolean | undefined;
  readonly rows?: string | undefined;
}

/**
 * Checks the questions and pins their files.
 * @throws LaconicError `config_invalid` naming the flag, `data_invalid` with file and row
 */
export async function benchDataOf(
  args: DataArguments,
  hub: HubEnvironment,
  note: (text: string) => void,
): Promise<BenchData | null> {
  const { data, grading, columns, lenient, rows } = args;
  if (data === undefined) {
    const stray = (["grading", "columns", "lenient", "rows"] as const).find((flag) => args[flag]);
    if (stray !== undefined) throw refused(stray, "has no effect without --data");
    return null;
  }
  if (grading === undefined)
    throw refused(
      "grading",
      'is missing: numeric, letter, maths, code or text, or JSON such as {"kind":"letter","golds":"index"}',
    );
  const settings = parseBy(
    rowSettingsSchema,
    {
      grading: grading.trimStart().startsWith("{") ? jsonOf("grading", grading) : grading,
      ...(columns !== undefined && { columns: columnsOf(columns) }),
      ...(lenient && { mode: "lenient" }),
      ...(rows !== undefined && { rows: Number(rows) }),
    },
    (key, reason) => {
      const [flag = "", ...inside] = key.split(".");
      return refused(flag === "" ? "data" : flag, [...inside, reason].join(": "));
    },
  );
  const name = data.startsWith("hub:")
    ? data.slice("hub:".length).split(/[/@]/u).slice(0, 2).join("/")
    : basename(data).replace(/(?:\.[a-z]\w*)+$/iu, "");
  if (benchmarks.some((benchmark) => benchmark.name === name))
    throw refused("data", `${name} is a benchmark's name: rename the file`);
  const source = data.startsWith("hub:") ? data : resolve(data);
  const opened = await openProblems(source, { ...settings, hub });
  const [first] = opened.refused;
  if (first)
    note(
      `${name}: ${opened.refused.length} rows skipped; the first is ${first.file} row ${first.row}: ${first.reason}`,
    );
  return {
    name: name === "" ? "data" : name,
    source: opened.source as string,
    rows: settings,
    questions: opened.problems.length,
    sha256: hashOf(opened),
  };
}

/** Reopens the questions. @throws LaconicError `data_invalid` for changed files */
export async function openBenchData(
  { name, source, rows, sha256 }: BenchData,
  hub: HubEnvironment,
  { limit, seed }: { readonly limit: number | null; readonly seed: string },
): Promise<BenchSet> {
  const opened = await openProblems(source, { ...rows, hub });
  if (hashOf(opened) !== sha256)
    throw dataError(`${source} has changed since this bench was started`, { file: source });
  const { problems } = opened;
  return {
    benchmark: name,
    split: `own-${sha256.slice(0, 12)}`,
    problems: limit === null ? problems : seededSubset(problems, { limit, seed }),
    exemplars: [],
    calibration: [],
  };
}

function hashOf({ files }: OpenedProblems): string {
  return sha256Of(files.map(({ sha256 }) => sha256).join());
}

/** `question=problem,gold=answer.value,choices=A|B|C` */
function columnsOf(text: string): DataColumns {
  return Object.fromEntries(
    text.split(",").map((pair) => {
      const [key, ...rest] = pair.split("=");
      const column = rest.join("=");
      if (!key || column === "") throw refused("columns", `${JSON.stringify(pair)} is not NAME=COLUMN`);
      return [key.trim(), column.includes("|") ? column.split("|") : column];
    }),
  );
}

function jsonOf(flag: string, text: string): unknown {
  try {
    return boundedJson(text);
  } catch (error) {
    throw refused(flag, `is not JSON: ${(error as Error).message}`);
  }
}

function refused(flag: string, reason: string): LaconicError {
  return configError(`--${flag} ${reason}`, { flag });
}
