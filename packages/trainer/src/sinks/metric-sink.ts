import type { UnknownRecord } from "@laconic/core";
import type { Evaluation } from "../evaluate.ts";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { Metrics } from "../step-metrics.ts";

/** Description of a run for sinks. */
export interface SinkRun {
  /** Default: the folder's name. */
  readonly name: string;
  readonly directory: string;
  /** Settings in `config.json`. */
  readonly config: UnknownRecord;
  /** Versions, machine and device in `environment.json`. */
  readonly environment: UnknownRecord;
}

/**
 * Receives a run's rows; only `log` is required. A resumed run sends everything again. A sink that throws is disabled
 * with a warning; the folder stays complete.
 */
export interface MetricSink {
  /** Name in messages. Default `sink`. */
  readonly name?: string;
  /** How to send missed rows later. */
  readonly later?: string;
  /** Called first. */
  begin?(run: SinkRun): void | Promise<void>;
  /** Receives a step's row of `metrics.jsonl`. */
  log(metrics: Metrics, step: number): void | Promise<void>;
  /** Receives results of step 0 and later. `validationMetrics` flattens them. */
  evaluation?(evaluation: Evaluation): void | Promise<void>;
  /** Validation episodes. Model text must not be rendered as markup. */
  transcripts?(episodes: readonly RecordedEpisode[], step: number): void | Promise<void>;
  /** Sends pending data at the end; not called after an error. A sweep's next run calls `begin` again. */
  close?(outcome?: SinkOutcome): void | Promise<void>;
}

/** Interrupted runs can resume. */
export type SinkOutcome = "finished" | "interrupted" | "failed";

/** Sink with every method. */
export type CompleteSink = Required<Omit<MetricSink, "later">> & Pick<MetricSink, "later">;
