import { thrownText } from "@laconic/core";
import { type FileSystem, joinPath } from "@laconic/core/files";
import type { Evaluation } from "../evaluate.ts";
import { runFiles, type RecordedEpisode } from "@laconic/core/run-folder";
import { shownEpisodes } from "../reading/episodes.ts";
import { fileSystemSource, parsed, recordIn } from "../reading/run-source.ts";
import { eachRow, readRows } from "../reading/rows.ts";
import type { Metrics } from "../step-metrics.ts";
import type { MetricSink, SinkOutcome, SinkRun } from "./metric-sink.ts";
import { absolutePath, nodeFileSystem } from "#platform";
import { readSettings } from "../reading/run-manifest.ts";

/** All sinks of a run; never fails. */
export class SinkSet {
  #sinks: readonly MetricSink[];
  readonly #warn: (message: string) => Promise<void>;

  constructor(sinks: readonly MetricSink[], warn: (message: string) => Promise<void>) {
    [this.#sinks, this.#warn] = [sinks, warn];
  }

  async tell(use: (sink: MetricSink) => void | Promise<void>): Promise<void> {
    for (const sink of this.#sinks) {
      try {
        await use(sink);
      } catch (error) {
        this.#sinks = this.#sinks.filter((other) => other !== sink);
        const { name = "sink", later } = sink;
        await this.#warn(
          `metric sink ${name} failed and is off: ${thrownText(error)}${later === undefined ? "" : `; ${later}`}`,
        );
      }
    }
  }

  log(metrics: Metrics): Promise<void> {
    return this.tell((sink) => sink.log(metrics, metrics["step"]!));
  }

  /** @param shown - readable episodes */
  evaluation(result: Evaluation, shown: readonly RecordedEpisode[]): Promise<void> {
    return this.tell(async (sink) => {
      await sink.evaluation?.(result);
      if (shown.length > 0) await sink.transcripts?.(shown, result.step);
    });
  }

  async replay(fs: FileSystem, { directory, config }: Pick<SinkRun, "directory" | "config">): Promise<void> {
    if (this.#sinks.length === 0) return;
    const source = fileSystemSource(fs, directory);
    const evaluations = (await readRows(source, runFiles.evaluations)) as unknown as Evaluation[];
    // All episodes of a long run may exceed memory.
    const shown = shownEpisodes(source, config);
    let next = await shown.next();
    const episodesOf = async (step: number): Promise<RecordedEpisode[]> => {
      const episodes: RecordedEpisode[] = [];
      for (; next.done !== true && next.value.step <= step; next = await shown.next())
        if (next.value.step === step) episodes.push(next.value);
      return episodes;
    };
    const sendEvaluations = async (until: number): Promise<void> => {
      while ((evaluations[0]?.step ?? Infinity) < until) {
        const result = evaluations.shift()!;
        await this.evaluation(result, await episodesOf(result.step));
      }
    };
    for await (const row of eachRow(source, runFiles.metrics)) {
      const metrics = row as Metrics;
      await sendEvaluations(metrics["step"]!);
      await this.log(metrics);
    }
    await sendEvaluations(Infinity);
  }
}

/** Options of sending a run to a sink. */
export interface SendOptions {
  readonly directory: string;
  readonly sinks: readonly MetricSink[];
  readonly outcome?: SinkOutcome;
  readonly fileSystem?: FileSystem;
}

/**
 * Sends a run folder to sinks.
 * @returns failure messages
 * @throws LaconicError `run_missing` for other folders
 */
export async function sendRun(options: SendOptions): Promise<readonly string[]> {
  const { directory, outcome = "interrupted", fileSystem: fs = nodeFileSystem } = options;
  const failed: string[] = [];
  const sinks = new SinkSet(options.sinks, async (message) => void failed.push(message));
  const config = await readSettings(fs, directory);
  const file = joinPath(directory, runFiles.environment);
  const text = (await fs.exists(file)) ? new TextDecoder().decode(await fs.read(file)) : null;
  const environment = recordIn(parsed(text)) ?? {};
  await sinks.tell((sink) => sink.begin?.({ name: lastOf(directory), directory, config, environment }));
  await sinks.replay(fs, { directory, config });
  await sinks.tell((sink) => sink.close?.(outcome));
  return failed;
}

export function lastOf(directory: string): string {
  return (
    absolutePath(directory)
      .split(/[\\/]/u)
      .findLast((part) => part !== "") ?? directory
  );
}
