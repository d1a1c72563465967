import type { TrainingSequence } from "@laconic/core";

/** One update of given sequences, as a child process reads it from standard input. */
export interface UpdateJob {
  /** Folder with config.json and model.safetensors. */
  readonly checkpoint: string;
  readonly sequences: readonly TrainingSequence[];
  readonly advantages: readonly number[];
  /** Whether prefixes are passed once; peers pass every sequence by itself. */
  readonly shared: boolean;
  readonly maxTokens: number;
  readonly threads: number;
  /** Updates that are timed, behind one that warms up. */
  readonly steps: number;
}

/** What a side prints as its last line. */
export interface UpdateResult {
  readonly side: string;
  /** CPU seconds of all threads, of the fastest update. */
  readonly seconds: number;
  /** Rows that were passed; null where a side does not count. */
  readonly rows: number | null;
  readonly peakMiB: number;
}
