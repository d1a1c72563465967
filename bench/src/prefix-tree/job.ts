import type { TrainingSequence } from "@laconic/core";

/** One update, read by a child process from standard input. */
export interface UpdateJob {
  /** Contains config.json and model.safetensors. */
  readonly checkpoint: string;
  readonly sequences: readonly TrainingSequence[];
  readonly advantages: readonly number[];
  /** Peers process every sequence separately. */
  readonly shared: boolean;
  readonly maxTokens: number;
  readonly threads: number;
  /** Timed, after one warm-up. */
  readonly steps: number;
}

/** Last line that a side prints. */
export interface UpdateResult {
  readonly side: string;
  /** CPU time of all threads, fastest update. */
  readonly seconds: number;
  /** Processed rows; null if not counted. */
  readonly rows: number | null;
  readonly peakMiB: number;
}
