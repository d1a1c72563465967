import type { FileSystem } from "@laconic/core/files";
import type { Evaluation } from "../evaluate.ts";
import { runFiles, type RecordedEpisode } from "@laconic/core/run-folder";
import { shownEpisodes } from "../reading/episode-content.ts";
import { fileSystemSource } from "../reading/folder-source.ts";
import { eachRow, readRows } from "../reading/rows.ts";
import type { Metrics } from "../stages/step-metrics.ts";
import type { MetricSink, SinkOutcome, SinkRun } from "./metric-sink.ts";

/** All sinks of a run as one that never fails. */
export interface SinkSet {
  begin(run: SinkRun): Promise<void>;
  log(metrics: Metrics): Promise<void>;
  /** @param shown - episodes of it that are to be read by people */
  evaluation(evaluation: Evaluation, shown: readonly RecordedEpisode[]): Promise<void>;
  /** Tells everything that a folder has of the run that began. */
  replay(fs: FileSystem, { directory, config }: Pick<SinkRun, "directory" | "config">): Promise<void>;
  close(outcome?: SinkOutcome): Promise<void>;
}

/** @param warn - told once of each sink that threw and is off from then on */
export function sinkSet(given: readonly MetricSink[], warn: (message: string) => Promise<void>): SinkSet {
  let sinks = [...given];
  const each = async (use: (sink: MetricSink) => void | Promise<void>): Promise<void> => {
    for (const sink of sinks) {
      try {
        await use(sink);
      } catch (error) {
        sinks = sinks.filter((other) => other !== sink);
        const { name = "sink", later } = sink;
        const reason = error instanceof Error ? error.message : String(error);
        await warn(`metric sink ${name} failed and is off: ${reason}${later === undefined ? "" : `; ${later}`}`);
      }
    }
  };
  const evaluation = (result: Evaluation, shown: readonly RecordedEpisode[]): Promise<void> =>
    each(async (sink) => {
      await sink.evaluation?.(result);
      if (shown.length > 0) await sink.transcripts?.(shown, result.step);
    });
  return {
    evaluation,
    begin: (run) => each((sink) => sink.begin?.(run)),
    log: (metrics) => each((sink) => sink.log(metrics, metrics["step"] as number)),
    async replay(fs, { directory, config }) {
      if (sinks.length === 0) return;
      const source = fileSystemSource(fs, directory);
      const evaluations = (await readRows(source, runFiles.evaluations)) as unknown as Evaluation[];
      const episodes: RecordedEpisode[] = [];
      for await (const shown of shownEpisodes(source, config)) episodes.push(shown);
      const tell = async (until: number): Promise<void> => {
        while ((evaluations[0]?.step ?? Infinity) < until) {
          const result = evaluations.shift() as Evaluation;
          await evaluation(
            result,
            episodes.filter(({ step }) => step === result.step),
          );
        }
      };
      for await (const row of eachRow(source, runFiles.metrics)) {
        const metrics = row as Metrics;
        await tell(metrics["step"] as number);
        await each((sink) => sink.log(metrics, metrics["step"] as number));
      }
      await tell(Infinity);
    },
    close: (outcome) => each((sink) => sink.close?.(outcome)),
  };
}
