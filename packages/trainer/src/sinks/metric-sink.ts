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
 * Another home for what a run writes into its folder. Only `log` is needed. A method may be called with a step again after a
 * resume, which tells everything from the beginning, but to a sink that goes on from where it was. One that throws is switched off with a warning; the run goes on, and its folder
 * has all of it.
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
  /** Behind a checkpoint of the run, which saw all that was told until then. */
  checkpoint?(step: number): void | Promise<void>;
  /**
   * The run goes on from the checkpoint of this step: gives up what was told behind it. False where what was told up to it is not there,
   * and everything is to be told again. A resume of a long run then reads little.
   */
  goOn?(step: number): boolean | Promise<boolean>;
  /** The end of the run: sends what is left; a sweep's next run begins anew. Not called after an error. @param outcome - whether the run was done */
  close?(outcome?: SinkOutcome): void | Promise<void>;
}

/** How a run ended; `interrupted` can be gone on with. */
export type SinkOutcome = "finished" | "interrupted" | "failed";

/** What only some kinds of sinks can do. */
type Optional = "later" | "checkpoint" | "goOn";

/** A sink that heeds everything. */
export type CompleteSink = Required<Omit<MetricSink, Optional>> & Pick<MetricSink, Optional>;
