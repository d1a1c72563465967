import { join } from "node:path";
import { episodeSchema, LaconicError, problemSchema } from "@laconic/core";
import { nodeFileSystem, readLines, runFiles } from "@laconic/trainer";
import { parseJson } from "../cli/json.ts";
import type { FrontierPoint } from "./frontier-chart.ts";
import type { MetricRow, ReportData } from "./page.ts";
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
  return {
    name: directory.split(/[\\/]/).findLast((part) => part !== "") ?? "run",
    rows: (await readLines(fs, path(runFiles.metrics))).map(numbersOf),
    evaluations: (await readLines(fs, path(runFiles.evaluations))).map(evaluationPoint),
    transcripts: (await readLines(fs, path(runFiles.episodes))).flatMap(transcript),
    budgetTokens: numberOr(record(train["budget"])["targetTokens"], null),
    seconds: secondsOf(timing),
    device: textOr(record(environment["engine"])["device"], "unknown"),
    seed: textOr(train["seed"], "unknown"),
    config,
    warnings: (await readLines(fs, path(runFiles.warnings))).map((row) => textOr(row["message"], "")),
  };
}

/** What the steps of a run took, in all the processes that trained it; evaluations are not steps. Null before the first. */
export async function trainingSeconds(directory: string): Promise<number | null> {
  return secondsOf(await readLines(nodeFileSystem, join(directory, runFiles.timing)));
}

function secondsOf(timing: readonly Json[]): number | null {
  return timing.length === 0 ? null : timing.reduce((sum, row) => sum + total(row), 0);
}

function evaluationPoint(row: Json): FrontierPoint {
  const [low, high] = Array.isArray(row["interval"]) ? (row["interval"] as number[]) : [0, 1];
  return {
    step: Number(row["step"]),
    tokens: Number(row["tokens"]),
    accuracy: Number(row["accuracy"]),
    interval: [low ?? 0, high ?? 1],
  };
}

function transcript(row: Json): Transcript[] {
  // A benchmark's problem holds more than every problem does.
  const { id, question, gold, views } = record(row["problem"]);
  const problem = problemSchema.safeParse({ id, question, gold, ...(views !== undefined && { views }) });
  const episode = episodeSchema.safeParse(row["episode"]);
  if (!problem.success || !episode.success) return [];
  return [{ step: Number(row["step"]), problem: problem.data, episode: episode.data, task: Number(row["task"]) }];
}

function numbersOf(row: Json): MetricRow {
  return Object.fromEntries(
    Object.entries(row).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}

function total(row: Json): number {
  return Object.entries(row).reduce(
    (sum, [key, value]) => (key.startsWith("timing_s/") ? sum + Number(value) : sum),
    0,
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
