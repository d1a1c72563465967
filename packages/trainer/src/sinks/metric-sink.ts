import type { Evaluation } from "../evaluate.ts";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { Metrics } from "../step-metrics.ts";

/** What a run is, for those who show it beside others. */
export interface SinkRun {
  /** What it is called: the name of its folder, by default. */
  readonly name: string;
  /** Its folder. */
  readonly directory: string;
  /** Its settings, as `config.json` has them. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Versions, machine and device, as `environment.json` has them. */
  readonly environment: Readonly<Record<string, unknown>>;
}

/**
 * Receives what a run writes into its folder. Only `log` is needed. A resumed run sends everything again, from the first step. A sink
 * that throws is switched off with a warning. The run continues, and its folder has everything.
 */
export interface MetricSink {
  /** For messages; `sink` when absent. */
  readonly name?: string;
  /** How what it missed is sent later, in words, where there is a way. */
  readonly later?: string;
  /** What the run is, before anything else. */
  begin?(run: SinkRun): void | Promise<void>;
  /** A step's metrics, flat and numeric, as in `metrics.jsonl`. */
  log(metrics: Metrics, step: number): void | Promise<void>;
  /** A validation result, before the first step (0) and after some; `validationMetrics` makes flat numbers of it. */
  evaluation?(evaluation: Evaluation): void | Promise<void>;
  /** Validation episodes of an evaluation that are to be read by people. A model wrote their text: it is data, never markup. */
  transcripts?(episodes: readonly RecordedEpisode[], step: number): void | Promise<void>;
  /** The end of the run: sends what is left; a sweep's next run begins anew. Not called after an error. @param outcome - whether the run was done */
  close?(outcome?: SinkOutcome): void | Promise<void>;
}

/** How a run ended; `interrupted` can be gone on with. */
export type SinkOutcome = "finished" | "interrupted" | "failed";

/** A sink with every method. */
export type CompleteSink = Required<Omit<MetricSink, "later">> & Pick<MetricSink, "later">;
