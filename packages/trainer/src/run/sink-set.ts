import { thrownText } from "@laconic/core";
import { type FileSystem, joinPath } from "@laconic/core/files";
import type { Evaluation } from "../evaluate.ts";
import { runFiles, type RecordedEpisode } from "@laconic/core/run-folder";
import { shownEpisodes } from "../reading/episode-content.ts";
import { fileSystemSource } from "../reading/folder-source.ts";
import { eachRow, readRows } from "../reading/rows.ts";
import type { Metrics } from "../step-metrics.ts";
import type { MetricSink, SinkOutcome, SinkRun } from "../sinks/metric-sink.ts";
import { nodeFileSystem } from "#platform";
import { lastOf } from "./file-system.ts";
import { parsed, recordIn } from "../reading/run-source.ts";
import { readSettings } from "./stored-run.ts";

/** All sinks of a run as one that never fails. */
export interface SinkSet {
  begin(run: SinkRun): Promise<void>;
  log(metrics: Metrics): Promise<void>;
  /** @param shown - episodes of it that are to be read by people */
  evaluation(evaluation: Evaluation, shown: readonly RecordedEpisode[]): Promise<void>;
  checkpoint(step: number): Promise<void>;
  /**
   * Tells everything that a folder has of the run that began.
   * @param step - of the checkpoint that the run goes on from: sinks that go on from there are told nothing
   */
  replay(fs: FileSystem, { directory, config }: Pick<SinkRun, "directory" | "config">, step?: number): Promise<void>;
  close(outcome?: SinkOutcome): Promise<void>;
}

/** @param warn - told once of each sink that threw and is off from then on */
export function sinkSet(given: readonly MetricSink[], warn: (message: string) => Promise<void>): SinkSet {
  let sinks = [...given];
  const each = async (
    use: (sink: MetricSink) => void | Promise<void>,
    passedOver: ReadonlySet<MetricSink> = new Set(),
  ): Promise<void> => {
    for (const sink of sinks) {
      if (passedOver.has(sink)) continue;
      try {
        await use(sink);
      } catch (error) {
        sinks = sinks.filter((other) => other !== sink);
        const { name = "sink", later } = sink;
        const reason = thrownText(error);
        await warn(`metric sink ${name} failed and is off: ${reason}${later === undefined ? "" : `; ${later}`}`);
      }
    }
  };
  const evaluation = (
    result: Evaluation,
    shown: readonly RecordedEpisode[],
    passedOver?: ReadonlySet<MetricSink>,
  ): Promise<void> =>
    each(async (sink) => {
      await sink.evaluation?.(result);
      if (shown.length > 0) await sink.transcripts?.(shown, result.step);
    }, passedOver);
  return {
    evaluation: (result, shown) => evaluation(result, shown),
    checkpoint: (step) => each((sink) => sink.checkpoint?.(step)),
    begin: (run) => each((sink) => sink.begin?.(run)),
    log: (metrics) => each((sink) => sink.log(metrics, metrics["step"] as number)),
    async replay(fs, { directory, config }, step) {
      const goingOn = new Set<MetricSink>();
      if (step !== undefined) await each(async (sink) => void ((await sink.goOn?.(step)) && goingOn.add(sink)));
      if (sinks.every((sink) => goingOn.has(sink))) return;
      const source = fileSystemSource(fs, directory);
      const evaluations = (await readRows(source, runFiles.evaluations)) as unknown as Evaluation[];
      // Read one evaluation at a time: all of a long run's may be more than memory.
      const shown = shownEpisodes(source, config);
      let next = await shown.next();
      const episodesOf = async (at: number): Promise<RecordedEpisode[]> => {
        const found: RecordedEpisode[] = [];
        for (; next.done !== true && next.value.step <= at; next = await shown.next())
          if (next.value.step === at) found.push(next.value);
        return found;
      };
      const tell = async (until: number): Promise<void> => {
        while ((evaluations[0]?.step ?? Infinity) < until) {
          const result = evaluations.shift() as Evaluation;
          await evaluation(result, await episodesOf(result.step), goingOn);
        }
      };
      for await (const row of eachRow(source, runFiles.metrics)) {
        const metrics = row as Metrics;
        await tell(metrics["step"] as number);
        await each((sink) => sink.log(metrics, metrics["step"] as number), goingOn);
      }
      await tell(Infinity);
    },
    close: (outcome) => each((sink) => sink.close?.(outcome)),
  };
}

/** What of a run is sent, and where. */
export interface SendOptions {
  readonly directory: string;
  readonly sinks: readonly MetricSink[];
  /** How the run ended. Default `interrupted`. */
  readonly outcome?: SinkOutcome;
  readonly fileSystem?: FileSystem;
}

/**
 * Tells sinks what a run's folder has: later, or again, or sinks that the run did not know.
 * @returns what failed, in words
 * @throws LaconicError `run_missing` for a folder that holds no run
 */
export async function sendRun(options: SendOptions): Promise<readonly string[]> {
  const { directory, outcome = "interrupted", fileSystem: fs = nodeFileSystem } = options;
  const failed: string[] = [];
  const sinks = sinkSet(options.sinks, async (message) => void failed.push(message));
  const config = await readSettings(fs, directory);
  const file = joinPath(directory, runFiles.environment);
  const text = (await fs.exists(file)) ? new TextDecoder().decode(await fs.read(file)) : null;
  const environment = recordIn(parsed(text)) ?? {};
  await sinks.begin({ name: lastOf(directory), directory, config, environment });
  await sinks.replay(fs, { directory, config });
  await sinks.close(outcome);
  return failed;
}
