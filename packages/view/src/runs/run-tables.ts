import { join } from "node:path";
import { makeFolders } from "@laconic/core/platform";
import { isRecord, LaconicError } from "@laconic/core";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { eachEpisode, eachRow, folderSource, runFiles, type Row, type RunSource } from "@laconic/trainer/reading";
import { printable } from "./columns.ts";
import { CsvWriter, type Cell, type RunTable } from "./csv.ts";
import { readRunSummary } from "./list-runs.ts";

/** The tables of a run. */
export const tableNames = ["metrics", "evaluations", "episodes", "turns"] as const;

/** Of {@link tableNames}. */
export type TableName = (typeof tableNames)[number];

/** What an export wrote. */
export interface RunExport {
  readonly folder: string;
  readonly files: readonly { readonly file: string; readonly rows: number }[];
  /** Texts that a spreadsheet would have run as a formula: they begin with an apostrophe. */
  readonly defused: number;
}

/**
 * Writes tables of a run as `TABLE.csv` into a folder.
 * @throws LaconicError `run_missing`
 */
export async function exportRun(
  directory: string,
  folder: string,
  names: readonly TableName[] = tableNames,
): Promise<RunExport> {
  const tables = await runTables(directory);
  const writer = new CsvWriter();
  await makeFolders(folder);
  const files: { file: string; rows: number }[] = [];
  for (const name of names) {
    const file = join(folder, `${name}.csv`);
    files.push({ file, rows: await writer.write(await tables(name), file) });
  }
  return { folder, files, defused: writer.defused };
}

/**
 * The tables of a run folder, by name. Files are read row by row: they may be larger than memory.
 * @throws LaconicError `run_missing`
 */
export async function runTables(directory: string): Promise<(name: TableName) => Promise<RunTable>> {
  if (!(await readRunSummary(directory)))
    throw new LaconicError("run_missing", `${directory} holds no run`, { directory });
  const source = folderSource(directory);
  const episodes = {
    episodes: { columns: episodeColumns, rows: () => flat(episodesOf(source), (row) => [episodeCells(row)]) },
    turns: { columns: turnColumns, rows: () => flat(episodesOf(source), turnsOf) },
  };
  return async (name) => {
    if (name === "metrics") return metricsTable(source);
    return name === "evaluations" ? evaluationsTable(source) : episodes[name];
  };
}

/** One row a step: metrics, and what its parts took. */
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
  const columns = [...names];
  return {
    columns,
    rows: () =>
      flat(eachRow(source, metrics), (row) => {
        const whole: Row = { ...times.get(row["step"]), ...row };
        return [columns.map((name) => cellOf(whole[name]))];
      }),
  };
}

/** One row an evaluation and group of problems; the group of all has no name. */
async function evaluationsTable(source: RunSource): Promise<RunTable> {
  const file = runFiles.evaluations;
  const [silence, measures] = [new Set<string>(), new Set<string>()];
  for await (const row of eachRow(source, file)) {
    for (const agent of Object.keys(recordOf(row["silence"]))) silence.add(agent);
    for (const each of [row, ...Object.values(recordOf(row["groups"])).map((group) => recordOf(group))])
      for (const name of Object.keys(recordOf(each["measures"]))) measures.add(name);
  }
  const rowOf = (step: unknown, group: string, of: Row): Cell[] => {
    const [low, high] = Array.isArray(of["interval"]) ? (of["interval"] as unknown[]) : [];
    return [
      cellOf(step),
      text(group),
      cellOf(of["problems"]),
      cellOf(of["accuracy"]),
      cellOf(low),
      cellOf(high),
      cellOf(of["tokens"]),
      ...[...measures].map((name) => cellOf(recordOf(of["measures"])[name])),
      ...[...silence].map((agent) => cellOf(recordOf(of["silence"])[agent])),
    ];
  };
  return {
    columns: [
      "step",
      "group",
      "problems",
      "accuracy",
      "accuracy_low",
      "accuracy_high",
      "tokens",
      ...[...measures].map((name) => `measures/${text(name)}`),
      ...[...silence].map((agent) => `silence/${text(agent)}`),
    ],
    rows: () =>
      flat(eachRow(source, file), (row) => [
        rowOf(row["step"], "", row),
        ...Object.entries(recordOf(row["groups"])).map(([group, of]) => rowOf(row["step"], group, recordOf(of))),
      ]),
  };
}

/** With its number among the episodes of its kind, from 0: rows of the turns name it. */
type Numbered = RecordedEpisode & { readonly kind: "evaluation" | "training"; readonly number: number };

/** Validation episodes first, then those of training, as far as the run kept them. */
async function* episodesOf(source: RunSource): AsyncGenerator<Numbered> {
  for (const kind of ["evaluation", "training"] as const) {
    let number = 0;
    for await (const each of eachEpisode(source, kind === "training" ? "step" : kind))
      yield { ...each, kind, number: number++ };
  }
}

const episodeColumns = [
  "kind",
  "episode",
  "step",
  "problem",
  "question",
  "gold",
  "answer",
  "task",
  "reward",
  "turns",
  "silent_turns",
  "tokens",
];

function episodeCells({ kind, number, step, problem, episode, task, reward }: Numbered): Cell[] {
  const { utterances } = episode;
  return [
    kind,
    number,
    step,
    cellOf(problem.id),
    cellOf(problem.question),
    cellOf(problem.gold),
    cellOf(episode.answer),
    cellOf(task),
    cellOf(reward),
    utterances.length,
    utterances.filter(({ silent }) => silent).length,
    utterances.reduce((sum, { writtenTokens }) => sum + writtenTokens, 0),
  ];
}

const turnColumns = [
  "kind",
  "episode",
  "step",
  "problem",
  "turn",
  "round",
  "agent",
  "silent",
  "tokens",
  "delivered_to",
  "text",
];

function turnsOf({ kind, number, step, problem, episode }: Numbered): Cell[][] {
  return episode.utterances.map((each) => [
    kind,
    number,
    step,
    cellOf(problem.id),
    each.turn,
    each.round,
    cellOf(each.agent),
    each.silent,
    each.writtenTokens,
    text(each.deliveredTo.join(" ")),
    cellOf(each.text),
  ]);
}

async function* flat<T>(
  source: AsyncIterable<T>,
  rowsOf: (each: T) => readonly (readonly Cell[])[],
): AsyncGenerator<readonly Cell[]> {
  for await (const each of source) yield* rowsOf(each);
}

function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === "number" || typeof value === "boolean") return value;
  return text(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
}

/** Nothing in it that a terminal would obey, or that would show it in another order. */
function text(value: string): string {
  return printable(value);
}

function recordOf(value: unknown): Row {
  return isRecord(value) ? value : {};
}
