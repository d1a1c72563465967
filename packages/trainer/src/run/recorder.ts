import type { UnknownRecord } from "@laconic/core";
import type { Evaluation } from "../evaluate.ts";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { DroppedProblem } from "../queue/training-queue.ts";
import type { OpponentStore } from "../opponents/opponent-pool.ts";
import type { ScoredRollout } from "../stages/score.ts";
import type { Metrics } from "../step-metrics.ts";
import type { LoopState } from "./loop-state.ts";
import type { Models } from "./checkpoint.ts";
import type { StepRecord } from "./step-record.ts";
import type { FileSystem } from "@laconic/core/files";
import type { MetricSink, SinkOutcome } from "../sinks/metric-sink.ts";
import type { ProcessTable } from "../reading/run-source.ts";

/** Measures phases. Times stay out of the metrics, which are reproducible bit for bit. */
export interface StepClock {
  lap(phase: string): void;
  readonly seconds: Readonly<Record<string, number>>;
}

/** Writes the run folder and resumes from it. */
export interface Recorder extends OpponentStore {
  /** Loads the last checkpoint; null for a fresh run. */
  restore(models: Models): Promise<LoopState | null>;
  clock(): StepClock;
  /** Records the first weights; fresh runs only. */
  begin?(models: Models): Promise<void>;
  /** Records all inputs of a step; called before `step`. */
  record?(record: StepRecord): Promise<void>;
  step(metrics: Metrics, clock: StepClock): Promise<void>;
  rollouts(step: number, rollouts: readonly ScoredRollout[]): Promise<void>;
  /** Groups dropped since the previous step; asynchronous runs only. */
  dropped(step: number, groups: readonly DroppedProblem[]): Promise<void>;
  /** @param transcripts - number of readable episodes */
  evaluation(evaluation: Evaluation, episodes: readonly RecordedEpisode[], transcripts?: number): Promise<void>;
  test?(evaluation: Evaluation, episodes: readonly RecordedEpisode[]): Promise<void>;
  checkpoint(models: Models, state: LoopState): Promise<void>;
  /** Records each warning text once. @param step - that caused it */
  warn(message: string, step?: number): Promise<void>;
}

export function stepClock(now: () => number): StepClock {
  const seconds: Record<string, number> = {};
  let last = now();
  return {
    seconds,
    lap(phase) {
      const time = now();
      seconds[phase] = (seconds[phase] ?? 0) + (time - last) / 1000;
      last = time;
    },
  };
}

/** Records nothing. */
export function silentRecorder(onStep: (metrics: Metrics) => void = () => undefined): Recorder {
  return {
    restore: async () => null,
    clock: () => stepClock(() => 0),
    step: async (metrics) => onStep(metrics),
    rollouts: async () => undefined,
    dropped: async () => undefined,
    evaluation: async () => undefined,
    checkpoint: async () => undefined,
    warn: async () => undefined,
  };
}

/** Callbacks of a run. */
export interface RunObserver {
  step?(metrics: Metrics, clock: StepClock): void;
  evaluation?(evaluation: Evaluation): void;
  test?(evaluation: Evaluation): void;
  checkpoint?(step: number): void;
  warning?(message: string): void;
}

/** Options of a recorded run. */
export interface RunOptions {
  readonly directory: string;
  /** Saved as `config.json`; must be equal on resume. */
  readonly config: UnknownRecord;
  /** Saved as `environment.json`: versions, machine, device. */
  readonly environment: UnknownRecord;
  readonly keepCheckpoints: number;
  /** SHA-256 of weights, tokenizer and data by name; must be equal on resume. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** Settings that may change on resume, with a note. */
  readonly adjustable?: Readonly<Record<string, string>>;
  readonly policy?: UnknownRecord;
  /**
   * `true` resumes the last checkpoint, or begins a run that never saved again, with the same settings and inputs.
   * `where-possible` resumes or starts, and replaces a run without checkpoints. `false` starts, and rejects a directory
   * with steps or checkpoints.
   */
  readonly resume?: boolean | "where-possible";
  /** Records complete steps, and first weights up to 4 million parameters. Default true. */
  readonly records?: boolean;
  readonly observer?: RunObserver;
  /** Extra numbers for `timing.jsonl`, named `perf/...`. */
  readonly measures?: () => Promise<Metrics>;
  /** Server replies since the last call, for `samplers.jsonl`. */
  readonly replies?: () => readonly object[];
  readonly sinks?: readonly MetricSink[];
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Default: local folders. Browsers: `memoryFileSystem()` of core. */
  readonly fileSystem?: FileSystem;
  readonly processes?: ProcessTable;
}

/** Recorded run: folder and state. */
export interface Run extends Recorder {
  /** Whether it continues from a checkpoint. */
  readonly isResumed: boolean;
  /** Records a server warning; repeated texts are kept. @param detail - `server`, `state` and `reason` */
  warnOfServer(message: string, detail: Readonly<Record<"server" | "state" | "reason", string>>): Promise<void>;
  close(outcome?: SinkOutcome): Promise<void>;
}
