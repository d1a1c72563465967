import { questionKey, randomFromSeed, dataError, present } from "@laconic/core";
import { optionCheck } from "@laconic/core/checks";
import type { AnswerKind } from "@laconic/grading";
import type { BenchmarkProblem } from "../data/benchmark.ts";
import {
  describeRefused,
  placeOf,
  RowProblems,
  type DataRow,
  type PlacedProblem,
  type RowRefusal,
} from "../data/data-row.ts";
import { csvTable } from "../data/formats/csv.ts";
import { parquetRows } from "../data/formats/parquet.ts";
import { readRows } from "../data/formats/read-rows.ts";
import {
  answerKindOf,
  checked,
  columnsRead,
  dataSettingsSchema,
  rowSettingsSchema,
  type DataGrading,
  type DataSettings,
  type DataSource,
  type RowSettings,
} from "./data-settings.ts";
import { openSource, type SourceFile, type SourceOptions } from "./data-source.ts";
import { ownRow } from "./own-row.ts";

/** Options of `openProblems`. */
export interface ProblemOptions extends RowSettings, SourceOptions {
  /** Id prefix. Default `row`: `row/1` is the first. */
  readonly name?: string;
}

const checkOptions = optionCheck<ProblemOptions>()(
  "openProblems",
  "grading columns mode rows name hub signal onProgress fetch",
);

/** Problems and their files. */
export interface OpenedProblems {
  readonly problems: readonly BenchmarkProblem[];
  readonly refused: readonly RowRefusal[];
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
  /** Pins commits, to reproduce the problems. */
  readonly source: DataSource;
}

/**
 * Opens problems of files or of a hub data set.
 * @throws LaconicError `data_invalid` with `file` and `row` (in lenient mode only if all are unreadable), or for
 * duplicate ids; `config_invalid`; download errors
 */
export async function openProblems(source: DataSource, options: ProblemOptions): Promise<OpenedProblems> {
  const { problems, ...rest } = await openPlaced(source, options);
  return { ...rest, problems: problems.map(({ problem }) => problem) };
}

async function openPlaced(
  source: DataSource,
  options: ProblemOptions,
): Promise<Omit<OpenedProblems, "problems"> & { readonly problems: readonly PlacedProblem[] }> {
  checkOptions(options);
  const { grading, columns, mode, rows, name = "row", ...reach } = options;
  const settings = checked(
    rowSettingsSchema,
    { grading, ...(columns && { columns }), ...(mode && { mode }), ...present({ rows }) },
    "problems",
  );
  const most = settings.rows ?? Infinity;
  const sources = await openSource(source, reach, settings.rows !== undefined);
  const read = new RowProblems();
  const { problems, refused } = read;
  let count = 0;
  for (const file of sources.files)
    for (const row of count < most ? await rowsOf(file, settings, most - count) : []) {
      if (count === most) break;
      count += 1;
      read.add(row, `${name}/${count}`, (value) => ownRow(value, settings.grading as DataGrading, settings.columns));
    }
  if (refused.length > 0 && (settings.mode !== "lenient" || problems.size === 0)) {
    const { text, detail } = describeRefused(refused, " rows");
    const advice = settings.mode === "lenient" ? "no row is left" : "mode lenient leaves such rows out";
    throw dataError(`${text}; ${advice}`, detail);
  }
  if (problems.size === 0) throw dataError(`${sources.files.map((file) => file.name).join(", ")}: no rows`);
  return {
    problems: [...problems.values()],
    refused,
    files: sources.files.map(({ name: path, sha256 }) => ({ path, sha256 })),
    source: sources.pinned,
  };
}

async function rowsOf(file: SourceFile, settings: RowSettings, most: number): Promise<readonly DataRow[]> {
  return "parts" in file
    ? parquetRows(file.name, file.parts, { rows: most, columns: columnsRead(settings), exact: true })
    : readRows(file.name, file.bytes, { csv: csvTable, exact: true });
}

/** Splits without common questions. */
export interface OpenedData {
  readonly train: readonly BenchmarkProblem[];
  readonly testProblems: readonly BenchmarkProblem[];
  /** Used by `answerForm` and `answerReading`. */
  readonly answer: AnswerKind;
  readonly refused: readonly RowRefusal[];
  readonly files: OpenedProblems["files"];
  /** Pins commits, to reproduce the problems. */
  readonly settings: DataSettings;
}

/**
 * Opens custom training and test problems. Rows with the same question (`questionKey`) stay on one side.
 * @throws LaconicError `data_invalid`, also for a training row with a test question (skipped in lenient mode);
 * `config_invalid`; download errors
 */
export async function openData(input: DataSettings, options: SourceOptions = {}): Promise<OpenedData> {
  const settings = checked(dataSettingsSchema, input, "data");
  const { train: source, testProblems, ...rows } = settings;
  if (typeof testProblems === "object" && "share" in testProblems) {
    const all = await openPlaced(source, { ...rows, ...options });
    const parts = splitOff(all.problems, testProblems.share, testProblems.seed ?? 0);
    return opened(parts.train, parts.testProblems, all.refused, all.files, { ...settings, train: all.source });
  }
  const test = await openPlaced(testProblems, { ...rows, ...options, name: "test" });
  const own = await openPlaced(source, { ...rows, ...options, name: "train" });
  const leaks = leaksInto(test.problems, own.problems);
  const [leak] = leaks;
  if (leak && settings.mode !== "lenient")
    throw dataError(
      `${placeOf(leak)}: ${leak.reason}${leaks.length > 1 ? ` (and ${leaks.length - 1} more rows)` : ""}: training and test overlap; mode lenient leaves such rows out of training`,
      { file: leak.file, row: leak.row, refused: leaks.length },
    );
  const left = new Set(leaks.map(({ problem }) => problem));
  const train = own.problems.filter(({ problem }) => !left.has(problem));
  if (train.length === 0) throw dataError("every training row asks what a test row asks");
  const refused = [...own.refused, ...test.refused, ...leaks.map(({ file, row, reason }) => ({ file, row, reason }))];
  const pinned = { ...settings, train: own.source, testProblems: test.source };
  return opened(train, test.problems, refused, [...own.files, ...test.files], pinned);
}

function opened(
  train: readonly PlacedProblem[],
  testProblems: readonly PlacedProblem[],
  refused: readonly RowRefusal[],
  files: OpenedProblems["files"],
  settings: DataSettings,
): OpenedData {
  const plain = (placed: readonly PlacedProblem[]): BenchmarkProblem[] => placed.map(({ problem }) => problem);
  const answer = answerKindOf(settings.grading, plain([...train, ...testProblems]));
  return { train: plain(train), testProblems: plain(testProblems), answer, refused, files, settings };
}

/** Training rows with a test row's id or question. */
function leaksInto(
  testProblems: readonly PlacedProblem[],
  train: readonly PlacedProblem[],
): (PlacedProblem & { readonly reason: string })[] {
  const ids = new Map(testProblems.map((placed) => [placed.problem.id, placed]));
  const questions = new Map(testProblems.map((placed) => [questionKey(placed.problem), placed]));
  return train.flatMap((placed) => {
    const { problem } = placed;
    const [same, twin] = [ids.get(problem.id), questions.get(questionKey(problem))];
    if (twin) return [{ ...placed, reason: `asks what ${placeOf(twin)} asks, which is kept for the test` }];
    return same
      ? [{ ...placed, reason: `the id ${problem.id} is that of ${placeOf(same)}, which is kept for the test` }]
      : [];
  });
}

function splitOff(
  problems: readonly PlacedProblem[],
  share: number,
  seed: string | number,
): { readonly train: PlacedProblem[]; readonly testProblems: PlacedProblem[] } {
  const random = randomFromSeed(`held-out:${seed}`);
  const rows = new Map<string, number>();
  for (const { problem } of problems) {
    const key = questionKey(problem);
    rows.set(key, (rows.get(key) ?? 0) + 1);
  }
  const order = [...rows]
    .map(([key, count]) => ({ key, count, draw: random.split(key).uniform() }))
    .toSorted((a, b) => a.draw - b.draw || (a.key < b.key ? -1 : 1));
  const wanted = Math.round(share * problems.length);
  const held = new Set<string>();
  let count = 0;
  for (const { key, count: of } of order) {
    if (count >= wanted) break;
    held.add(key);
    count += of;
  }
  const isHeld = ({ problem }: PlacedProblem): boolean => held.has(questionKey(problem));
  const [testProblems, train] = [problems.filter(isHeld), problems.filter((placed) => !isHeld(placed))];
  if (testProblems.length === 0 || train.length === 0)
    throw dataError(
      `a share of ${share} of ${problems.length} rows, ${rows.size} different questions, leaves nothing to ${testProblems.length === 0 ? "measure with" : "learn on"}`,
      { rows: problems.length, questions: rows.size, share },
    );
  return { train, testProblems };
}
