import { endsWhole, runFiles, membersIn, recordVersion, type MemberHead } from "@laconic/core/run-folder";
import type { UnknownRecord } from "@laconic/core";
import { maxJsonDepth } from "@laconic/core/json";
import { checkedNames } from "./run-files.ts";
import { parsed, recordIn, textIn, isRunHeld, rowsIn, folderSource } from "./run-source.ts";
import type { RunSource, LivingProcesses } from "./run-source.ts";
import { eachRow, lastRow, lostSteps } from "./rows.ts";
import { likelyCause } from "../divergence.ts";
import { regressionOf } from "../evaluation-warnings.ts";
import { parseChangedSettings, type ChangedSetting } from "./changed-settings.ts";

/** State of a run: running, finished, interrupted or failed. */
export type RunState =
  /** A process holds the lock. */
  | "running"
  | "done"
  /** Ended before its last step: interrupted, killed, or stopped early. */
  | "stopped"
  /** A file ends inside a row, or metrics rows are missing. */
  | "half-written"
  /** Not a run, or an unsupported version. */
  | "foreign";

/** Supervised warm start before training. */
export interface WarmStartFacts {
  /** Text such as `600 steps of warm start on owners`. */
  readonly said: string;
  readonly before: RunEvaluation;
}

/** State and figures of a run folder. */
export interface RunFacts {
  readonly state: RunState;
  /** Message for half-written, foreign or diverged runs. */
  readonly reason: string | null;
  /** Last metrics row; 0 without one. */
  readonly step: number;
  readonly plannedSteps: number | null;
  readonly evaluations: readonly RunEvaluation[];
  /** Evaluation before training, after any warm start. */
  readonly before: RunEvaluation | null;
  /** Last evaluation; null if only evaluated before training. */
  readonly after: RunEvaluation | null;
  readonly test: RunEvaluation | null;
  readonly warmStart: WarmStartFacts | null;
  /** Seconds of training steps. */
  readonly seconds: number | null;
  readonly device: string | null;
  readonly seed: string | null;
  /** Changed settings; empty, with a warning, if their file is damaged. */
  readonly changes: readonly ChangedSetting[];
  readonly warnings: readonly string[];
  readonly warnedAt: Readonly<Record<string, number>>;
  /** Last write of the training, in milliseconds since 1970, or 0. */
  readonly updated: number;
  /** Parsed `config.json`; null if invalid. */
  readonly config: unknown;
  readonly environment: unknown;
  /** Settings under `train`, or all of a program's run. */
  readonly train: UnknownRecord;
}

/** Options of `readRunFacts`. */
export interface RunFactsOptions {
  readonly processes: LivingProcesses;
  /** Seconds of all steps. Default: read from `timing.jsonl`. */
  readonly seconds?: number | null;
}

/** Reads a run folder. Other folders are `foreign`, with the reason. */
export async function readRunFacts(source: RunSource, { processes, ...options }: RunFactsOptions): Promise<RunFacts> {
  const rows = async (name: string): Promise<UnknownRecord[]> => rowsIn(await textIn(source, name));
  const config = parsed(await textIn(source, runFiles.config)) ?? null;
  const environment = parsed(await textIn(source, runFiles.environment)) ?? null;
  const train = trainOf(config);
  const foreign = await whyForeign(source, config, train);
  const isHeld = await isRunHeld(source, processes);
  // A writing process may be inside a row.
  const damage = isHeld || foreign !== null ? [] : await damageOf(source);
  const { step = 0 } = (await lastRow(source, runFiles.metrics)) ?? {};
  const plannedSteps = numberOr(train["steps"]);
  const evaluations = await evaluationsIn(source);
  const test = evaluationOf(recordIn(parsed(await textIn(source, runFiles.test))) ?? {});
  const before = evaluations[0] ?? null;
  const after = evaluations.length > 1 ? (evaluations.at(-1) ?? null) : null;
  const warned = await rows(runFiles.warnings);
  const replies = [...new Set(warned.map(({ message }) => String(message)))]; // a server may fail repeatedly for one reason
  const decline = before && after && regressionOf(before, after);
  // The training may have warned already.
  const isNew = decline !== null && !replies.some((message) => message.includes(decline));
  const changed = changesIn(await textIn(source, runFiles.changes));
  const diverged = replies.findLast((message) => message.includes(likelyCause)) ?? null;
  const state = foreign !== null ? "foreign" : isHeld ? "running" : endOf(damage, step, plannedSteps);
  const seconds = options.seconds === undefined ? await secondsIn(source) : options.seconds;
  return {
    state,
    reason: foreign ?? damage[0] ?? (state === "stopped" ? diverged : null),
    step,
    plannedSteps,
    evaluations,
    before,
    after,
    test,
    config,
    environment,
    train,
    warmStart: warmStartIn(parsed(await textIn(source, runFiles.warmStart))),
    seconds,
    device: textOr(recordIn(recordIn(environment)?.["engine"])?.["device"]) ?? textOr(recordIn(config)?.["device"]),
    seed: textOr(train["seed"]),
    changes: changed.changes,
    warnings: [...damage, ...changed.damage, ...(isNew ? [decline] : []), ...replies],
    warnedAt: Object.fromEntries(
      warned.flatMap(({ message, step: position }) =>
        typeof position === "number" ? [[String(message), position] as const] : [],
      ),
    ),
    updated: await newest(source),
  };
}

async function secondsIn(source: RunSource, before: number = Infinity): Promise<number | null> {
  let sum: number | null = null;
  for await (const row of eachRow(source, runFiles.timing))
    if (Number(row["step"]) < before) sum = (sum ?? 0) + stepSeconds(row);
  return sum;
}

/** Seconds of all steps over all processes; null before the first. @param before - counts earlier steps only */
export function trainingSeconds(directory: string, before: number = Infinity): Promise<number | null> {
  return secondsIn(folderSource(directory), before);
}

/** Facts of a run whose files are unreadable. */
export function unreadFacts(reason: string): RunFacts {
  return {
    state: "half-written",
    reason,
    step: 0,
    plannedSteps: null,
    evaluations: [],
    before: null,
    after: null,
    test: null,
    warmStart: null,
    seconds: null,
    device: null,
    seed: null,
    changes: [],
    warnings: [reason],
    warnedAt: {},
    updated: 0,
    config: null,
    environment: null,
    train: {},
  };
}

/** Seconds of a step, including waiting for rollouts. @param row - of `timing.jsonl` */
export function stepSeconds(row: UnknownRecord): number {
  return Object.entries(row).reduce(
    (sum, [name, value]) => (name.startsWith("timing_s/") && typeof value === "number" ? sum + value : sum),
    0,
  );
}

function changesIn(text: string | null): { changes: readonly ChangedSetting[]; damage: readonly string[] } {
  try {
    return { changes: parseChangedSettings(text ?? "", runFiles.changes), damage: [] };
  } catch (error) {
    return { changes: [], damage: [(error as Error).message] };
  }
}

function endOf(damage: readonly string[], step: number, planned: number | null): RunState {
  if (damage.length > 0) return "half-written";
  return planned !== null && step >= planned ? "done" : "stopped";
}

function trainOf(config: unknown): UnknownRecord {
  const input = recordIn(config) ?? {};
  return "train" in input ? (recordIn(input["train"]) ?? {}) : input;
}

async function whyForeign(source: RunSource, config: unknown, train: UnknownRecord): Promise<string | null> {
  const name = runFiles.config;
  if (recordIn(config) === null)
    return (await source.stat(name))
      ? `${name} is not a JSON object, is larger than 8 MiB, or nests more than ${maxJsonDepth} levels deep`
      : `${name} not found: not a run, or one that has not begun`;
  if (numberOr(train["steps"]) === null) return `${name} is not a run's: the number of steps is missing`;
  const first = (await source.stat(runFiles.episodes)) && (await firstMember(source));
  return first && first.version !== recordVersion
    ? `${runFiles.episodes} has version ${first.version}, this program reads ${recordVersion}`
    : null;
}

async function firstMember(source: RunSource): Promise<MemberHead | null> {
  const read = (from: number, length: number): Promise<Uint8Array | null> =>
    source.bytes(runFiles.episodes, from, length);
  for await (const { head } of membersIn(read)) if (head) return head;
  return null;
}

function warmStartIn(value: unknown): WarmStartFacts | null {
  const { said, before } = recordIn(value) ?? {};
  const evaluation = evaluationOf(recordIn(before) ?? {});
  return typeof said === "string" && evaluation ? { said, before: evaluation } : null;
}

/** Time of the last write, ignoring files derived from a run later. */
async function newest(source: RunSource): Promise<number> {
  const times = await Promise.all(Object.values(runFiles).map((name) => source.stat(name)));
  return Math.max(0, ...times.map((match) => match?.mtimeMs ?? 0));
}

function textOr(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

const lockName = "LOCK";

async function damageOf(source: RunSource): Promise<string[]> {
  const matches: string[] = [];
  for (const name of [...checkedNames.files, lockName])
    if (await source.isFolder?.(name)) matches.push(`${name} is a folder, expected a file`);
  for (const name of [...checkedNames.objects, lockName])
    if (!(await isObjectOrNone(source, name)))
      matches.push(`${name} is not a JSON object, or is too large or too deep`);
  for (const name of checkedNames.ends) {
    const { size = 0 } = (await source.stat(name)) ?? {};
    const end = size > 0 ? await source.bytes(name, size - 1, 1) : null;
    if (end && end[0] !== 10) matches.push(`${name} ends in the middle of a row`);
  }
  const { size = 0 } = (await source.stat(runFiles.episodes)) ?? {};
  if (!(await endsWhole((from, length) => source.bytes(runFiles.episodes, from, length), size)))
    matches.push(`${runFiles.episodes} ends in the middle of a step`);
  for (const name of checkedNames.rows) matches.push(...(await badRows(source, name)));
  const lost = await lostSteps(source);
  return lost === null ? matches : [...matches, lost];
}

async function isObjectOrNone(source: RunSource, name: string): Promise<boolean> {
  const { size = 0 } = (await source.stat(name)) ?? {};
  // A lock is created before it is written.
  return size === 0 || recordIn(parsed(await textIn(source, name))) !== null;
}

async function badRows(source: RunSource, name: string): Promise<string[]> {
  const match = await source.stat(name);
  const text = await textIn(source, name);
  // Invalid rows of evaluations are skipped.
  if (text === null) return match && name !== runFiles.evaluations ? [`${name} is too large or cannot be read`] : [];
  const lines = text.split("\n").slice(0, -1); // a torn last line is reported elsewhere
  const bad = lines.findIndex((line) => line !== "" && recordIn(parsed(line)) === null);
  return bad < 0 ? [] : [`${name}: line ${bad + 1} is not a row`];
}

/** Row of `evaluations.jsonl`: accuracy 0..1, mean tokens per episode. */
export interface RunEvaluation {
  readonly step: number;
  readonly problems: number;
  readonly accuracy: number;
  /** 95 % interval of the accuracy. */
  readonly interval: readonly [low: number, high: number] | null;
  readonly tokens: number;
  /** Share of empty turns by agent. */
  readonly silence: Readonly<Record<string, number>>;
  readonly groups?: Readonly<Record<string, GroupFigures>>;
}

/** Accuracy and tokens of a group of problems. */
export interface GroupFigures extends Pick<RunEvaluation, "problems" | "accuracy" | "tokens"> {
  readonly measures: Readonly<Record<string, number>>;
}

/** More evaluations are thinned out. */
const maxEvaluations = 2000;

async function evaluationsIn(source: RunSource): Promise<RunEvaluation[]> {
  let [matches, every, seen]: [RunEvaluation[], number, number] = [[], 1, 0];
  let last: RunEvaluation | null = null;
  for await (const row of eachRow(source, runFiles.evaluations)) {
    const evaluation = evaluationOf(row);
    if (!evaluation) continue;
    last = evaluation;
    if (seen++ % every !== 0) continue;
    matches.push(evaluation);
    if (matches.length < maxEvaluations) continue;
    matches = matches.filter((_, i) => i % 2 === 0);
    every *= 2;
  }
  return last && matches.at(-1) !== last ? [...matches, last] : matches;
}

/** Evaluation of a row; null for another row. */
function evaluationOf(row: UnknownRecord): RunEvaluation | null {
  const [step, accuracy, tokens] = [row["step"], row["accuracy"], row["tokens"]].map(numberOr);
  if (typeof step !== "number" || typeof accuracy !== "number" || typeof tokens !== "number") return null;
  const [low, high] = (Array.isArray(row["interval"]) ? row["interval"] : []).map(numberOr);
  const groups = Object.entries(recordIn(row["groups"]) ?? {}).flatMap(([name, group]) => {
    const figures = groupOf(recordIn(group) ?? {});
    return figures ? [[name, figures] as const] : [];
  });
  return {
    step,
    accuracy,
    tokens,
    problems: numberOr(row["problems"]) ?? 0,
    interval: typeof low === "number" && typeof high === "number" ? [low, high] : null,
    silence: numbersIn(row["silence"]),
    ...(groups.length > 0 && { groups: Object.fromEntries(groups) }),
  };
}

function groupOf(row: UnknownRecord): GroupFigures | null {
  const [problems, accuracy, tokens] = [row["problems"], row["accuracy"], row["tokens"]].map(numberOr);
  if (typeof problems !== "number" || typeof accuracy !== "number" || typeof tokens !== "number") return null;
  return { problems, accuracy, tokens, measures: numbersIn(row["measures"]) };
}

function numbersIn(value: unknown): Record<string, number> {
  return Object.fromEntries(
    Object.entries(recordIn(value) ?? {}).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}

function numberOr(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
