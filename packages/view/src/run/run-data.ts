import { join } from "node:path";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { episodeSchema, problemSchema } from "@laconic/core/schemas";
import { damagedRows, nodeFileSystem, readSettings, stepDefect } from "@laconic/trainer";
import {
  regressionOf,
  describeChanges,
  folderSource,
  nodeProcesses,
  probeRecordSchema,
  eachRow,
  readRows,
  readRunFacts,
  runFiles,
  shownEpisodes,
  type RunSource,
} from "@laconic/trainer/reading";
import { namedTask, taskSettingsSchema } from "@laconic/tasks/named";
import { isRecord, type UnknownRecord } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import type { MetricRow } from "./run-charts.ts";
import type { ReportData } from "./page.ts";
import { statesIn } from "./states.ts";

/**
 * Reads a run directory for the report.
 * @throws LaconicError `run_missing` when there is no run.
 */
export async function readRunData(directory: string): Promise<ReportData> {
  const fs = nodeFileSystem;
  const path = (name: string): string => join(directory, name);
  const json = async (name: string): Promise<UnknownRecord> =>
    record(parseJson(new TextDecoder().decode(await fs.read(path(name))), path(name)));
  const warmStart = (): Promise<UnknownRecord> => json(runFiles.warmStart);
  const config = await readSettings(fs, directory);
  const environment = await json(runFiles.environment);
  const source = folderSource(directory);
  const facts = await readRunFacts(source, { processes: nodeProcesses });
  const { train, evaluations, before, after, changes } = facts;
  const { rows, defect } = await metricsOf(source);
  const decline = before && after && regressionOf(before, after);
  const evaluated = await readRows(source, runFiles.evaluations);
  const transcripts = await transcriptsIn(source, config, evaluated);
  const damage = defect === null ? await damagedRows(fs, directory) : null;
  return {
    name: directory.split(/[\\/]/).findLast((part) => part !== "") ?? "run",
    rows,
    evaluations,
    decline,
    config,
    states: statesIn(evaluated, await warmStart().catch(() => ({}))),
    families: facts.families,
    test: facts.test,
    probe: probeRecordSchema.safeParse(await json(runFiles.probe).catch(() => null)).data ?? null,
    transcripts,
    game: gameOf(config, environment),
    budgetTokens: numberOr(record(train["budget"])["targetTokens"], null),
    changes: describeChanges(changes),
    seconds: facts.seconds,
    device: facts.device ?? "unknown",
    seed: facts.seed ?? "unknown",
    warnings: [
      ...(damage === null ? [] : [`${damage}; the report shows what is left`]),
      ...(defect === null ? [] : [`${runFiles.metrics}: ${defect}; the charts lack it or show it twice`]),
      ...facts.warnings.filter((each) => each !== decline && !(defect !== null && each.includes(defect))),
    ],
  };
}

/** A chart shows no more; of a longer run every second row is kept, every fourth, and so on, and the last. */
const maxRows = 4000;

/** Rows of the metrics, and what of them is lost, in words. */
async function metricsOf(source: RunSource): Promise<{ readonly rows: MetricRow[]; readonly defect: string | null }> {
  let [rows, every, seen]: [MetricRow[], number, number] = [[], 1, 0];
  let last: UnknownRecord | null = null;
  const steps: number[] = [];
  for await (const row of eachRow(source, runFiles.metrics)) {
    last = row;
    steps.push(numberOr(row["step"], 0));
    if (seen++ % every !== 0) continue;
    rows.push(numbersOf(row));
    if (rows.length < 2 * maxRows) continue;
    rows = rows.filter((_, i) => i % 2 === 0);
    every *= 2;
  }
  if (last && rows.at(-1)?.["step"] !== last["step"]) rows.push(numbersOf(last));
  return { rows, defect: stepDefect(steps, (await source.letGo?.(runFiles.metrics)) ?? 0) };
}

/** Of a run of more than twice as many evaluations those at its ends are read: the others lie gigabytes apart. */
const maxEnds = 10;

/** The earliest and the latest of each problem: those between are not shown. */
async function transcriptsIn(
  source: RunSource,
  config: UnknownRecord,
  evaluations: readonly UnknownRecord[],
): Promise<RecordedEpisode[]> {
  const steps = evaluations.map((each) => numberOr(each["step"], -1));
  const wanted = steps.length > 2 * maxEnds ? new Set([...steps.slice(0, maxEnds), ...steps.slice(-maxEnds)]) : null;
  const ends = new Map<string, readonly RecordedEpisode[]>();
  for await (const each of shownEpisodes(source, config, wanted))
    for (const read of transcript(each)) {
      const [first = read] = ends.get(read.problem.id) ?? [];
      ends.set(read.problem.id, first === read ? [read] : [first, read]);
    }
  return [...ends.values()].flat();
}

/** What a run's team plays, in two sentences: of a task with a name its own, of a user's what the run kept of it. Null for neither. */
function gameOf(config: { readonly task?: unknown }, environment: { readonly about?: unknown }): string | null {
  if (typeof environment.about === "string") return environment.about;
  const task = taskSettingsSchema.safeParse(config.task);
  return task.success ? namedTask(task.data).about(task.data) : null;
}

function transcript({ step, task, ...recorded }: RecordedEpisode): RecordedEpisode[] {
  // A benchmark's problem holds more than every problem does.
  const { id, question, gold, views, group, metadata } = recorded.problem;
  const extra = {
    ...(views !== undefined && { views }),
    ...(group !== undefined && { group }),
    ...(metadata !== undefined && { metadata }),
  };
  const problem = problemSchema.safeParse({ id, question, gold, ...extra });
  const episode = episodeSchema.safeParse(recorded.episode);
  if (!problem.success || !episode.success) return [];
  return [{ step, problem: problem.data, episode: episode.data, task: Number(task) }];
}

function numbersOf(row: UnknownRecord): MetricRow {
  return Object.fromEntries(
    Object.entries(row).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}

function record(value: unknown): UnknownRecord {
  return isRecord(value) ? value : {};
}

function numberOr<T>(value: unknown, fallback: T): number | T {
  return typeof value === "number" ? value : fallback;
}
