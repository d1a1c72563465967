import type { Evaluation } from "../evaluate.ts";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { DroppedProblem } from "../queue/training-queue.ts";
import type { OpponentStore } from "../opponents/opponent-pool.ts";
import type { ScoredRollout } from "../stages/score.ts";
import type { Metrics } from "../step-metrics.ts";
import type { LoopState } from "./loop-state.ts";
import type { Models } from "./checkpoint.ts";
import type { StepRecord } from "./step-record.ts";

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
