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

/** Measures the phases of a step. Times never enter the metrics, which repeat bit for bit. */
export interface StepClock {
  /** Ends a phase. */
  lap(phase: string): void;
  /** Seconds by phase. */
  readonly seconds: Readonly<Record<string, number>>;
}

/** Where a run leaves its traces. The loop tells it what happened and asks nothing back but where to resume. */
export interface Recorder extends OpponentStore {
  /** Loads the last checkpoint into the models; null on a fresh run. */
  restore(models: Models): Promise<LoopState | null>;
  clock(): StepClock;
  /** The first weights, before anything was learned; on a fresh run only. */
  begin?(models: Models): Promise<void>;
  /** All of a step, so that it can be computed again; before its metrics. */
  record?(record: StepRecord): Promise<void>;
  step(metrics: Metrics, clock: StepClock): Promise<void>;
  /** Some of a step's training episodes. */
  rollouts(step: number, rollouts: readonly ScoredRollout[]): Promise<void>;
  /** Groups that trained nothing since the step before, and why; asynchronous runs only. */
  dropped(step: number, groups: readonly DroppedProblem[]): Promise<void>;
  /** @param transcripts - of its episodes, how many are to be read by people */
  evaluation(evaluation: Evaluation, episodes: readonly RecordedEpisode[], transcripts?: number): Promise<void>;
  /** The test problems, once, with the weights that the run ends with. */
  test?(evaluation: Evaluation, episodes: readonly RecordedEpisode[]): Promise<void>;
  checkpoint(models: Models, state: LoopState): Promise<void>;
  /**
   * A trap or a defect worth saying; each text once.
   * @param step - that showed it
   */
  warn(message: string, step?: number): Promise<void>;
}

/** A clock over a monotonic time source in milliseconds. */
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

/** Keeps nothing: for tests, sweeps and examples that only want the result. */
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

/** What a caller sees while a run goes on. */
export interface RunObserver {
  step?(metrics: Metrics, clock: StepClock): void;
  evaluation?(evaluation: Evaluation): void;
  /** What the test problems came to, at the end. */
  test?(evaluation: Evaluation): void;
  checkpoint?(step: number): void;
  warning?(message: string): void;
}

/** Where a run is stored, what it was made of, and whether it goes on from a checkpoint. */
export interface RunOptions {
  readonly directory: string;
  /** Saved as `config.json`; a resumed run must bring the same. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Saved as `environment.json`: versions, machine, device. */
  readonly environment: Readonly<Record<string, unknown>>;
  readonly keepCheckpoints: number;
  /** SHA-256 of what a run reads, by name (weights, tokenizer, data): a resumed run must bring the same. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** Settings, or groups of them, that a resumed run may bring otherwise, with what follows from it; a change is recorded as a warning. */
  readonly adjustable?: Readonly<Record<string, string>>;
  /** What a policy knows of itself: written beside its weights in every checkpoint. */
  readonly policy?: Readonly<Record<string, unknown>>;
  /**
   * `true` continues the last checkpoint. `where-possible` does so where there is one, and else starts, over again where a
   * run ended before its first. `false` starts, and refuses a directory that holds steps or checkpoints.
   */
  readonly resume?: boolean | "where-possible";
  /** Keep all of every step in `episodes.jsonl.gz`, not only what people read, and first weights of up to 4 million parameters that learn. Default true. */
  readonly records?: boolean;
  readonly observer?: RunObserver;
  /** Numbers of each step beside its seconds, in `timing.jsonl`: of machines, which two equal runs do not share. Names begin with `perf/`. */
  readonly measures?: () => Metrics;
  /** Replies of sampling servers since it was last asked: rows of `samplers.jsonl`. */
  readonly replies?: () => readonly object[];
  readonly sinks?: readonly MetricSink[];
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Where the directory lies; folders of this machine by default. A browser has none: `memoryFileSystem()` of core, or an own. */
  readonly fileSystem?: FileSystem;
  readonly processes?: ProcessTable;
}

/** A recorder that can be closed: unlocks the directory and closes the sinks. */
export interface Run extends Recorder {
  /**
   * A warning about a server: its row has `step`, the steps done by then, `time` and the facts. Equal texts are kept each time.
   * @param facts - `server`, `state` and `reason`
   */
  warnOfServer(message: string, facts: Readonly<Record<"server" | "state" | "reason", string>>): Promise<void>;
  /** @param outcome - what sinks are told of the end */
  close(outcome?: SinkOutcome): Promise<void>;
}
