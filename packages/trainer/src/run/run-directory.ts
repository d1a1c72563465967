import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import type { EvaluatedEpisode, Evaluation } from "../evaluate.ts";
import type { MetricSink } from "../sinks/metric-sink.ts";
import type { ScoredRollout } from "../stages/score.ts";
import type { Metrics } from "../stages/step-metrics.ts";
import { findCheckpoint, modelPlace, saveCheckpoint, type LoopState, type Models } from "./checkpoint.ts";
import { explainedFileSystem, nodeFileSystem, replaceFile, type FileSystem } from "./file-system.ts";
import { readLines, toLine, truncateLines } from "./json-lines.ts";
import { lockRun, nodeProcesses, unlockRun, type ProcessTable } from "./lock.ts";
import { stepClock, type Recorder, type StepClock } from "./recorder.ts";

/** Names inside a run directory. */
export const runFiles = {
  config: "config.json",
  environment: "environment.json",
  metrics: "metrics.jsonl",
  timing: "timing.jsonl",
  rollouts: "rollouts.jsonl",
  episodes: "episodes.jsonl",
  evaluations: "evaluations.jsonl",
  warnings: "warnings.jsonl",
  checkpoints: "checkpoints",
} as const;

/** Files whose rows belong to a step; a resumed run writes those after its checkpoint again. */
const stepFiles: readonly string[] = [
  runFiles.metrics,
  runFiles.timing,
  runFiles.rollouts,
  runFiles.episodes,
  runFiles.evaluations,
];

/** What a caller sees while a run goes on. */
export interface RunObserver {
  step?(metrics: Metrics, clock: StepClock): void;
  evaluation?(evaluation: Evaluation): void;
  checkpoint?(step: number): void;
  warning?(message: string): void;
}

export interface RunOptions {
  readonly directory: string;
  /** Saved as `config.json`; a resumed run must bring the same. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Saved as `environment.json`: versions, machine, device. */
  readonly environment: Readonly<Record<string, unknown>>;
  readonly keepCheckpoints: number;
  readonly resume?: boolean;
  readonly observer?: RunObserver;
  readonly sinks?: readonly MetricSink[];
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly fileSystem?: FileSystem;
  readonly processes?: ProcessTable;
}

/** A recorder that can be closed: unlocks the directory and closes the sinks. */
export interface Run extends Recorder {
  close(): Promise<void>;
}

/**
 * Opens a run directory: a new one, or an existing one to resume.
 * @throws LaconicError `run_exists`, `run_missing`, `run_unwritable`, `run_locked`, or `checkpoint_mismatch` naming the setting that changed.
 */
export async function openRun(options: RunOptions): Promise<Run> {
  const { directory, processes = nodeProcesses, observer = {}, resume = false } = options;
  const fs = explainedFileSystem(options.fileSystem ?? nodeFileSystem, directory);
  const path = (name: string): string => join(directory, name);
  const exists = await fs.exists(path(runFiles.config));
  if (exists && !resume)
    throw new LaconicError("run_exists", `${directory} holds a run already; choose another directory, or resume it`, {
      directory,
    });
  if (!exists && resume) throw new LaconicError("run_missing", `${directory} holds no run to resume`, { directory });

  await fs.makeDirectory(path(runFiles.checkpoints));
  const takenOver = await lockRun(fs, directory, processes);
  const [said, written] = [new Set<string>(), new Set<unknown>()];
  const warn = async (message: string): Promise<void> => {
    if (!said.has(message)) observer.warning?.(message);
    if (!written.has(message)) await fs.append(path(runFiles.warnings), toLine({ message }));
    said.add(message);
    written.add(message);
  };
  try {
    for (const { message } of await readLines(fs, path(runFiles.warnings))) written.add(message);
    await removePartial(fs, path(runFiles.checkpoints));
    if (exists) await checkSameConfig(fs, path(runFiles.config), options.config);
    else await replaceFile(fs, path(runFiles.config), `${JSON.stringify(options.config, null, 2)}\n`);
    await fs.write(path(runFiles.environment), `${JSON.stringify(options.environment, null, 2)}\n`);
    if (takenOver) await warn(takenOver);
  } catch (error) {
    await unlockRun(fs, directory);
    throw error;
  }

  let sinks = [...(options.sinks ?? [])];
  const eachSink = async (use: (sink: MetricSink) => void | Promise<void>): Promise<void> => {
    for (const sink of sinks) {
      try {
        await use(sink);
      } catch (error) {
        sinks = sinks.filter((other) => other !== sink);
        await warn(
          `metric sink ${sink.name} failed and is off: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  };

  return {
    async restore(models: Models): Promise<LoopState | null> {
      if (!resume) return null;
      const { folder, state, warnings } = await findCheckpoint(fs, path(runFiles.checkpoints));
      for (const message of warnings) await warn(message);
      for (const [name, model] of Object.entries(models)) await model.load(join(folder, modelPlace(models, name)));
      for (const name of stepFiles) await truncateLines(fs, path(name), state.step);
      const rows = await readLines(fs, path(runFiles.metrics));
      await eachSink(async (sink) => {
        for (const row of rows) await sink.log(row as Metrics, row["step"] as number);
      });
      return state;
    },
    clock: () => stepClock(options.now),
    async step(metrics, clock) {
      await fs.append(path(runFiles.metrics), toLine(metrics));
      await fs.append(path(runFiles.timing), toLine({ step: metrics["step"], ...timesOf(metrics, clock) }));
      await eachSink((sink) => sink.log(metrics, metrics["step"] as number));
      observer.step?.(metrics, clock);
    },
    async rollouts(step, rollouts: readonly ScoredRollout[]) {
      const lines = rollouts.map(({ problem, episode, reward, terms, score }) =>
        toLine({ step, problem, episode, reward, terms, ...(score && { score }) }),
      );
      await fs.append(path(runFiles.rollouts), lines.join(""));
    },
    async evaluation(evaluation: Evaluation, episodes: readonly EvaluatedEpisode[]) {
      await fs.append(path(runFiles.evaluations), toLine({ ...evaluation }));
      const { step } = evaluation;
      const lines = episodes.map(({ problem, episode, task }) => toLine({ step, problem, episode, task }));
      await fs.append(path(runFiles.episodes), lines.join(""));
      observer.evaluation?.(evaluation);
    },
    async checkpoint(models, state) {
      await fs.syncDirectory(directory); // rows of files that are new must not be lost behind it
      await saveCheckpoint(fs, path(runFiles.checkpoints), models, state, options.keepCheckpoints);
      observer.checkpoint?.(state.step);
    },
    warn,
    async close() {
      await eachSink((sink) => sink.close());
      await unlockRun(fs, directory);
    },
  };
}

/** Seconds by phase, and how fast the rollout wrote. */
function timesOf(metrics: Metrics, { seconds }: StepClock): Metrics {
  const times = Object.fromEntries(Object.entries(seconds).map(([phase, s]) => [`timing_s/${phase}`, s]));
  const [tokens = 0, rollout = 0] = [metrics["tokens/total"], seconds["rollout"]];
  return rollout > 0 ? { ...times, "perf/tokens_per_s": tokens / rollout } : times;
}

/** What a kill left of a checkpoint; under the lock, because another process may be writing one. */
async function removePartial(fs: FileSystem, checkpoints: string): Promise<void> {
  for (const name of await fs.list(checkpoints))
    if (name.endsWith(".partial")) await fs.remove(join(checkpoints, name));
}

async function checkSameConfig(fs: FileSystem, path: string, config: Readonly<Record<string, unknown>>): Promise<void> {
  const stored: unknown = JSON.parse(new TextDecoder().decode(await fs.read(path)));
  const key = firstDifference(stored, JSON.parse(JSON.stringify(config)), "");
  if (key !== null)
    throw new LaconicError(
      "checkpoint_mismatch",
      `${path}: the setting ${key} differs from the run's; resume with the stored configuration`,
      {
        key,
      },
    );
}

/** Path of the first setting that differs, or null. */
function firstDifference(a: unknown, b: unknown, path: string): string | null {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b) ? null : path;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = firstDifference(
      (a as Record<string, unknown>)[key],
      (b as Record<string, unknown>)[key],
      path === "" ? key : `${path}.${key}`,
    );
    if (found !== null) return found;
  }
  return null;
}
