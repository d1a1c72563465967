import type { Evaluation } from "../evaluate.ts";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { Metrics } from "../step-metrics.ts";

/** Description of a run for sinks. */
export interface SinkRun {
  /** Default: the folder's name. */
  readonly name: string;
  readonly directory: string;
  /** Settings, as in `config.json`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Versions, machine and device, as in `environment.json`. */
  readonly environment: Readonly<Record<string, unknown>>;
}

/**
 * Receives the rows of a run. Only `log` is required. A resumed run sends everything again from the first step. A sink
 * that throws is disabled with a warning; the run continues, and its folder is complete.
 */
export interface MetricSink {
  /** For messages. Default `sink`. */
  readonly name?: string;
  /** How to send missed rows later, as text. */
  readonly later?: string;
  /** Called first. */
  begin?(run: SinkRun): void | Promise<void>;
  /** Receives a step's flat metrics, as in `metrics.jsonl`. */
  log(metrics: Metrics, step: number): void | Promise<void>;
  /** Receives a validation result, of step 0 or later. `validationMetrics` flattens it. */
  evaluation?(evaluation: Evaluation): void | Promise<void>;
  /** Receives validation episodes for readers. Their text comes from a model and must not be rendered as markup. */
  transcripts?(episodes: readonly RecordedEpisode[], step: number): void | Promise<void>;
  /**
   * Sends pending data at the end of the run. A sweep's next run calls `begin` again. Not called after an error.
   * @param outcome - how the run ended
   */
  close?(outcome?: SinkOutcome): void | Promise<void>;
}

/** How a run ended; `interrupted` runs can resume. */
export type SinkOutcome = "finished" | "interrupted" | "failed";

/** A sink with every method. */
export type CompleteSink = Required<Omit<MetricSink, "later">> & Pick<MetricSink, "later">;
