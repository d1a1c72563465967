import { readFile, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { runFiles, stepDefect } from "@laconic/trainer";
import { trainingSeconds } from "../report/run-data.ts";
import { readRows, type Row } from "./read-rows.ts";

/** What became of a run. */
export type RunState =
  /** A process holds it. */
  | "running"
  | "done"
  /** Ended before its last step: interrupted, killed, or stopped early. */
  | "stopped"
  /** A file ends in the middle of a row, or lacks rows. */
  | "half-written"
  /** Of no version that this program reads. */
  | "foreign";

/** A team on held-out problems at one step. */
export interface HeldOut {
  readonly step: number;
  readonly problems: number;
  readonly accuracy: number;
  readonly interval: readonly [low: number, high: number];
  /** Mean per episode. */
  readonly tokens: number;
}

/** A run in a line. */
export interface RunSummary {
  readonly folder: string;
  readonly name: string;
  readonly state: RunState;
  /** Why, where it is half-written or foreign. */
  readonly reason: string | null;
  readonly step: number;
  readonly plannedSteps: number | null;
  readonly before: HeldOut | null;
  readonly after: HeldOut | null;
  /** Of its training steps, as the report has them; null before the first. */
  readonly seconds: number | null;
  readonly device: string | null;
  readonly seed: string | null;
  readonly warnings: number;
  /** Milliseconds since 1970. */
  readonly updated: number;
  readonly config: Row;
}

/**
 * What a run folder holds, by its small files; null for a folder that is no run's.
 * @param folder - of one run
 */
export async function readRunSummary(folder: string): Promise<RunSummary | null> {
  const path = (name: string): string => join(folder, name);
  const text = await readFile(path(runFiles.config), "utf8").catch(() => null);
  if (text === null) return null;
  const config = objectOf(text);
  const train = config && objectIn(config["train"]);
  const [metrics, evaluations, warnings] = [
    await readRows(path(runFiles.metrics)),
    await readRows(path(runFiles.evaluations)),
    await readRows(path(runFiles.warnings)),
  ];
  const environment = objectOf(await readFile(path(runFiles.environment), "utf8").catch(() => ""));
  // A model's folder has a config.json too.
  if (!train && environment === null && metrics.rows.length === 0) return null;
  const plannedSteps = numberOr(train?.["steps"]);
  const step = Math.max(0, ...metrics.rows.map((row) => numberOr(row["step"]) ?? 0));
  const damage = damageOf(config, metrics.rows, [metrics.torn, evaluations.torn]);
  const isHeld = await isHeldBy(path("LOCK"));
  const measured = evaluations.rows.flatMap((row) => heldOut(row) ?? []);
  return {
    folder,
    name: basename(folder),
    // Whoever writes has not finished its row.
    state: isHeld && damage?.state !== "foreign" ? "running" : (damage?.state ?? endOf(step, plannedSteps)),
    reason: isHeld && damage?.state !== "foreign" ? null : (damage?.reason ?? null),
    step,
    plannedSteps,
    before: measured[0] ?? null,
    after: measured.at(-1) ?? null,
    seconds: await trainingSeconds(folder),
    device: textOr(objectIn(environment?.["engine"])?.["device"]),
    seed: textOr(train?.["seed"]),
    warnings: warnings.rows.length,
    updated: await newest([runFiles.config, runFiles.metrics, runFiles.evaluations].map((name) => path(name))),
    config: config ?? {},
  };
}

function endOf(step: number, planned: number | null): RunState {
  return planned !== null && step >= planned ? "done" : "stopped";
}

function damageOf(
  config: Row | null,
  rows: readonly Row[],
  torn: readonly boolean[],
): { readonly state: RunState; readonly reason: string } | null {
  if (config === null) return { state: "foreign", reason: `${runFiles.config} is no object of JSON` };
  if (objectIn(config["train"]) === null)
    return { state: "foreign", reason: `${runFiles.config} has no settings of a training` };
  const defect = stepDefect(rows.map((row) => numberOr(row["step"]) ?? 0));
  if (defect !== null) return { state: "half-written", reason: `${runFiles.metrics}: ${defect}` };
  const file = [runFiles.metrics, runFiles.evaluations].find((_, i) => torn[i]);
  return file === undefined ? null : { state: "half-written", reason: `${file} ends in the middle of a row` };
}

/** Of another machine's process nobody can tell here; it counts as alive. */
async function isHeldBy(lock: string): Promise<boolean> {
  const { pid, host } = objectOf(await readFile(lock, "utf8").catch(() => "")) ?? {};
  if (typeof pid !== "number") return false;
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function newest(files: readonly string[]): Promise<number> {
  const times = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return Math.max(...times);
}

function heldOut(row: Row): HeldOut | null {
  const [step, problems, accuracy, tokens] = [row["step"], row["problems"], row["accuracy"], row["tokens"]].map(
    (each) => numberOr(each),
  );
  if (typeof step !== "number" || typeof accuracy !== "number" || typeof tokens !== "number") return null;
  const [low, high] = Array.isArray(row["interval"])
    ? (row["interval"] as unknown[]).map((each) => numberOr(each))
    : [];
  return { step, problems: problems ?? 0, accuracy, interval: [low ?? 0, high ?? 1], tokens };
}

function objectOf(text: string): Row | null {
  try {
    return objectIn(JSON.parse(text));
  } catch {
    return null;
  }
}

function objectIn(value: unknown): Row | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Row) : null;
}

function numberOr(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function textOr(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}
