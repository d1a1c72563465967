import { optionCheck } from "@laconic/core/checks";
import { joinBytes, joinPath, type FileSystem } from "@laconic/core/files";
import { hostname } from "node:os";
import { nodeFileSystem } from "#platform";
import type { CompleteSink } from "./metric-sink.ts";
import { validationMetrics } from "./validation-metrics.ts";
import { readableEpisode } from "./readable-episode.ts";
import { encodeFileVersion, encodeScalars, encodeText, frameRecord } from "./tensorboard-events.ts";
import { encodeHparams, encodeHparamsEnd, encodeLayout } from "./tensorboard-plugins.ts";

/** Where event files go, and whose clock stamps them. */
export interface TensorBoardOptions {
  readonly directory: string;
  /** Seconds since 1970, for file names and event times. */
  readonly wallTime: () => number;
  readonly fileSystem?: FileSystem;
}

const checkOptions = optionCheck<TensorBoardOptions>()("tensorBoardSink", "directory wallTime fileSystem");

/** Seconds between writes: a run whose earlier rows are told again hands over all at once. */
const flushSeconds = 1;

/** How names of event files begin. */
const eventPrefix = "events.out.tfevents.";

/**
 * Writes TensorBoard event files, at most once a second: scalars of steps and of validation problems, settings for the HPARAMS tab, and
 * transcripts for the TEXT tab, as code and never as markup. A run writes one file, which replaces earlier ones: two would show every
 * step twice.
 */
export function tensorBoardSink(options: TensorBoardOptions): CompleteSink {
  checkOptions(options);
  const { directory, wallTime, fileSystem: fs = nodeFileSystem } = options;
  const path = joinPath(directory, `${eventPrefix}${Math.floor(wallTime())}.${hostname()}`);
  let records: Uint8Array[] = [];
  /** Time of the last write; null before the first. */
  let flushed: number | null = null;
  /** Written with the first rows, so that a run without rows leaves an earlier folder alone. */
  let opening: Uint8Array[] = [];
  const flush = async (now: number): Promise<void> => {
    if (flushed === null) {
      await fs.makeDirectory(directory);
      for (const name of await fs.list(directory))
        if (name.startsWith(eventPrefix)) await fs.remove(joinPath(directory, name));
      records.unshift(...[encodeFileVersion(now), ...opening].map(frameRecord));
    }
    await fs.append(path, joinBytes(records));
    [records, flushed] = [[], now];
  };
  const write = async (...events: readonly ((now: number) => Uint8Array)[]): Promise<void> => {
    const now = wallTime();
    records.push(...events.map((encode) => frameRecord(encode(now))));
    if (flushed === null || Math.abs(now - flushed) >= flushSeconds) await flush(now);
  };
  return {
    name: "tensorboard",
    begin(run) {
      const now = wallTime();
      opening = [...encodeHparams(now, run), encodeLayout(now)];
    },
    log: (metrics, step) => write((now) => encodeScalars(now, step, metrics)),
    evaluation: (evaluation) => write((now) => encodeScalars(now, evaluation.step, validationMetrics(evaluation))),
    transcripts: (episodes, step) =>
      write(
        ...episodes.map(
          (each, i) => (now: number) => encodeText(now, step, `transcripts/${i + 1}`, readableEpisode(each)),
        ),
      ),
    async close(outcome) {
      const now = wallTime();
      const isEmpty = flushed === null && records.length === 0;
      if (opening.length > 0 && outcome && !isEmpty) records.push(frameRecord(encodeHparamsEnd(now, outcome)));
      if (records.length > 0) await flush(now);
    },
  };
}
