import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { makeFolders } from "@laconic/core/platform";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { csvLine, visibleText } from "@laconic/core/text";
import {
  eachEpisode,
  eachRow,
  folderSource,
  runFiles,
  runMissing,
  type Row,
  type RunSource,
} from "@laconic/trainer/reading";
import { readRunSummary } from "./list-runs.ts";
import { recordOf } from "./settings.ts";

/** Tables of a run. */
export const tableNames = ["metrics", "evaluations", "episodes", "turns"] as const;

/** One of {@link tableNames}. */
export type TableName = (typeof tableNames)[number];

/** Text may be model output. */
export type Cell = Parameters<typeof csvLine>[0][number];

/** Tidy table: one observation per row. */
export interface RunTable {
  readonly columns: readonly string[];
  rows(): AsyncIterable<readonly Cell[]>;
}

/** Files of an export. */
export interface RunExport {
  readonly folder: string;
  readonly files: readonly { readonly file: string; readonly rows: number }[];
  /** Texts that a spreadsheet would run as a formula; written with an apostrophe. */
  readonly defused: number;
}

/** Header and rows as CSV, without line feeds. @param onDefused - called for each defused text */
export async function* csvLines({ columns, rows }: RunTable, onDefused: () => void): AsyncGenerator<string> {
  yield csvLine(columns, onDefused);
  for await (const cells of rows()) yield csvLine(cells, onDefused);
}

/** Writes `TABLE.csv` files. @throws LaconicError `run_missing` */
export async function exportRun(
  directory: string,
  folder: string,
  names: readonly TableName[] = tableNames,
): Promise<RunExport> {
  const tables = await runTables(directory);
  await makeFolders(folder);
  const files: { file: string; rows: number }[] = [];
  let defused = 0;
  for (const name of names) {
    const written = { file: join(folder, `${name}.csv`), rows: -1 }; // the header is no row
    const lines = csvLines(await tables(name), () => (defused += 1));
    const counted = async function* (): AsyncGenerator<string> {
      for await (const line of lines) {
        written.rows += 1;
        yield `${line}\n`;
      }
    };
    await pipeline(counted, createWriteStream(written.file));
    files.push(written);
  }
  return { folder, files, defused };
}

/** Streams rows: files can exceed memory. @throws LaconicError `run_missing` */
export async function runTables(directory: string): Promise<(name: TableName) => Promise<RunTable>> {
  if (!(await readRunSummary(directory))) throw runMissing(directory);
  const source = folderSource(directory);
  return async (name) => {
    if (name === "metrics") return metricsTable(source);
    if (name === "evaluations") return evaluationsTable(source);
    if (name === "episodes") return tableOf(episodeColumns, () => episodesOf(source));
    return tableOf(turnColumns, async function* () {
      for await (const numbered of episodesOf(source))
        for (const utterance of numbered.episode.utterances) yield { ...numbered, ...utterance };
    });
  };
}

type Column<T> = readonly [name: string, cell: (row: T) => unknown];

/** Control and direction characters could affect a terminal. */
function tableOf<T>(columns: readonly Column<T>[], rows: () => AsyncIterable<T>): RunTable {
  return {
    columns: columns.map(([name]) => visibleText(name)),
    async *rows() {
      for await (const row of rows()) yield columns.map(([, cell]) => cellOf(cell(row)));
    },
  };
}

async function metricsTable(source: RunSource): Promise<RunTable> {
  const { metrics, timing } = runFiles;
  const names = new Set<string>(["step"]);
  const times = new Map<unknown, Row>();
  for await (const row of eachRow(source, metrics))
    for (const key of Object.keys(row)) if (key !== "nonfinite") names.add(key);
  for await (const row of eachRow(source, timing)) {
    times.set(row["step"], row);
    for (const key of Object.keys(row)) names.add(key);
  }
  return tableOf(
    [...names].map((name): Column<Row> => [name, (row) => row[name] ?? times.get(row["step"])?.[name]]),
    () => eachRow(source, metrics),
  );
}

/** The group of all problems has an empty name. */
interface EvaluatedGroup {
  readonly step: unknown;
  readonly group: string;
  readonly figures: Row;
}

async function evaluationsTable(source: RunSource): Promise<RunTable> {
  const groups = async function* (): AsyncGenerator<EvaluatedGroup> {
    for await (const row of eachRow(source, runFiles.evaluations)) {
      const { step } = row;
      yield { step, group: "", figures: row };
      for (const [group, figures] of Object.entries(recordOf(row["groups"])))
        yield { step, group, figures: recordOf(figures) };
    }
  };
  const [measures, agents] = [new Set<string>(), new Set<string>()];
  for await (const { figures } of groups()) {
    for (const name of Object.keys(recordOf(figures["measures"]))) measures.add(name);
    for (const agent of Object.keys(recordOf(figures["silence"]))) agents.add(agent);
  }
  const nested = (field: string, names: ReadonlySet<string>): Column<EvaluatedGroup>[] =>
    Array.from(names, (name) => [`${field}/${name}`, ({ figures }) => recordOf(figures[field])[name]]);
  const end = ({ figures }: EvaluatedGroup, i: number): unknown =>
    Array.isArray(figures["interval"]) ? figures["interval"][i] : null;
  return tableOf<EvaluatedGroup>(
    [
      ["step", ({ step }) => step],
      ["group", ({ group }) => group],
      ["problems", ({ figures }) => figures["problems"]],
      ["accuracy", ({ figures }) => figures["accuracy"]],
      ["accuracy_low", (row) => end(row, 0)],
      ["accuracy_high", (row) => end(row, 1)],
      ["tokens", ({ figures }) => figures["tokens"]],
      ...nested("measures", measures),
      ...nested("silence", agents),
    ],
    groups,
  );
}

/** Numbered within its kind, from 0. */
type Numbered = RecordedEpisode & { readonly kind: "evaluation" | "training"; readonly number: number };

async function* episodesOf(source: RunSource): AsyncGenerator<Numbered> {
  for (const kind of ["evaluation", "training"] as const) {
    let number = 0;
    for await (const recordedEpisode of eachEpisode(source, kind === "training" ? "step" : kind))
      yield { ...recordedEpisode, kind, number: number++ };
  }
}

const sharedColumns: readonly Column<Numbered>[] = [
  ["kind", ({ kind }) => kind],
  ["episode", ({ number }) => number],
  ["step", ({ step }) => step],
  ["problem", ({ problem }) => problem.id],
];

const episodeColumns: readonly Column<Numbered>[] = [
  ...sharedColumns,
  ["question", ({ problem }) => problem.question],
  ["gold", ({ problem }) => problem.gold],
  ["answer", ({ episode }) => episode.answer],
  ["task", ({ task }) => task],
  ["reward", ({ reward }) => reward],
  ["turns", ({ episode }) => episode.utterances.length],
  ["silent_turns", ({ episode }) => episode.utterances.filter(({ silent }) => silent).length],
  ["tokens", ({ episode }) => episode.utterances.reduce((sum, { writtenTokens }) => sum + writtenTokens, 0)],
];

const turnColumns: readonly Column<Numbered & RecordedEpisode["episode"]["utterances"][number]>[] = [
  ...sharedColumns,
  ["turn", ({ turn }) => turn],
  ["round", ({ round }) => round],
  ["agent", ({ agent }) => agent],
  ["silent", ({ silent }) => silent],
  ["tokens", ({ writtenTokens }) => writtenTokens],
  ["delivered_to", ({ deliveredTo }) => deliveredTo.join(" ")],
  ["text", ({ text }) => text],
];

function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === "number" || typeof value === "boolean") return value;
  return visibleText(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
}
