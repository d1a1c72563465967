import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { episodeSchema, problemSchema } from "@laconic/core/schemas";
import {
  damagedRows,
  declineOf,
  nodeFileSystem,
  readLines,
  runFiles,
  stepDefect,
  type Evaluation,
} from "@laconic/trainer";
import { stepSeconds } from "@laconic/trainer/reading";
import { parseJson } from "../cli/json.ts";
import { gameOf } from "./game.ts";
import type { MetricRow } from "./metric-row.ts";
import type { ReportData } from "./page.ts";
import type { FrontierPoint } from "./run-plane.ts";
import { statesIn } from "./states.ts";
import type { Transcript } from "./transcripts.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a run directory for the report.
 * @throws LaconicError `run_missing` when there is no run.
 */
export async function readRunData(directory: string): Promise<ReportData> {
  const fs = nodeFileSystem;
  const path = (name: string): string => join(directory, name);
  if (!(await fs.exists(path(runFiles.config))))
    throw new LaconicError("run_missing", `${directory} holds no run (no ${runFiles.config})`, { directory });
  const json = async (name: string): Promise<Json> =>
    record(parseJson(new TextDecoder().decode(await fs.read(path(name))), path(name)));
  const config = await json(runFiles.config);
  const environment = await json(runFiles.environment);
  const train = record(config["train"]);
  const timing = await readLines(fs, path(runFiles.timing));
  const rows = (await readLines(fs, path(runFiles.metrics))).map(numbersOf);
  const evaluated = await readLines(fs, path(runFiles.evaluations));
  const defect = stepDefect(rows.map((row) => row["step"] ?? 0));
  const damage = defect === null ? await damagedRows(fs, directory) : null;
  const warnings = (await readLines(fs, path(runFiles.warnings))).map((row) => textOr(row["message"], ""));
  return {
    name: directory.split(/[\\/]/).findLast((part) => part !== "") ?? "run",
    rows,
    evaluations: evaluated.map(evaluationPoint),
    decline: declineIn(evaluated),
    states: statesIn(evaluated, await json(runFiles.lessons).catch(() => ({}))),
    transcripts: (await readLines(fs, path(runFiles.episodes))).flatMap(transcript),
    game: gameOf(config, environment),
    budgetTokens: numberOr(record(train["budget"])["targetTokens"], null),
    seconds: secondsOf(timing),
    device: textOr(record(environment["engine"])["device"], "unknown"),
    seed: textOr(train["seed"], "unknown"),
    config,
    warnings: [
      ...(damage === null ? [] : [`${damage}; the report shows what is left`]),
      ...(defect === null ? [] : [`${runFiles.metrics}: ${defect}; the charts lack it or show it twice`]),
      ...warnings,
    ],
  };
}

/** How the last evaluation is clearly worse than the first. */
function declineIn(rows: readonly Json[]): string | null {
  const [first, last] = [rows[0], rows.at(-1)];
  return first && last ? declineOf(evaluationOf(first), evaluationOf(last)) : null;
}

function evaluationOf(row: Json): Evaluation {
  return { ...evaluationPoint(row), silence: numbersOf(record(row["silence"])) };
}

/** What the steps of a run took, in all the processes that trained it; evaluations are not steps. Null before the first. */
export async function trainingSeconds(directory: string): Promise<number | null> {
  return secondsOf(await readLines(nodeFileSystem, join(directory, runFiles.timing)));
}

function secondsOf(timing: readonly Json[]): number | null {
  return timing.length === 0 ? null : timing.reduce((sum, row) => sum + stepSeconds(row), 0);
}

function evaluationPoint(row: Json): FrontierPoint {
  const [low, high] = Array.isArray(row["interval"]) ? (row["interval"] as number[]) : [0, 1];
  return {
    step: Number(row["step"]),
    tokens: Number(row["tokens"]),
    accuracy: Number(row["accuracy"]),
    interval: [low ?? 0, high ?? 1],
    problems: numberOr(row["problems"], 0),
  };
}

function transcript(row: Json): Transcript[] {
  // A benchmark's problem holds more than every problem does.
  const { id, question, gold, views, group } = record(row["problem"]);
  const extra = { ...(views !== undefined && { views }), ...(group !== undefined && { group }) };
  const problem = problemSchema.safeParse({ id, question, gold, ...extra });
  const episode = episodeSchema.safeParse(row["episode"]);
  if (!problem.success || !episode.success) return [];
  return [{ step: Number(row["step"]), problem: problem.data, episode: episode.data, task: Number(row["task"]) }];
}

function numbersOf(row: Json): MetricRow {
  return Object.fromEntries(
    Object.entries(row).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}

function record(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : fallback;
}

function numberOr<T>(value: unknown, fallback: T): number | T {
  return typeof value === "number" ? value : fallback;
}
