import { optionCheck } from "@laconic/core/checks";
import { joinBytes, joinPath, type FileSystem } from "@laconic/core/files";
import { hostname } from "node:os";
import { nodeFileSystem } from "#platform";
import type { CompleteSink } from "./metric-sink.ts";
import { validationMetrics } from "./validation-metrics.ts";
import { readableEpisode } from "./readable-episode.ts";
import { encodeFileVersion, encodeScalars, encodeText, frameRecord } from "./tensorboard-events.ts";
import { EventPositions, eventPrefix, type EventFiles } from "./tensorboard-positions.ts";
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

/**
 * Writes TensorBoard event files, at most once a second: scalars of steps and of validation problems, settings for the HPARAMS tab,
 * transcripts for the TEXT tab, where they are code and never markup. A resumed run cuts the event files back to its checkpoint and goes on
 * in one of its own, as TensorBoard reads them. Where they are not as the checkpoint left them it replaces them: two would show every step twice.
 */
export function tensorBoardSink(options: TensorBoardOptions): CompleteSink {
  checkOptions(options);
  const { directory, wallTime, fileSystem: fs = nodeFileSystem } = options;
  const name = `${eventPrefix}${Math.floor(wallTime())}.${hostname()}`;
  const path = joinPath(directory, name);
  const positions = new EventPositions(fs, directory);
  /** Event files of before, with their bytes, that this process goes on behind. */
  let earlier: EventFiles | null = null;
  let records: Uint8Array[] = [];
  let flushed: number | null = null; // when
  /** Of the run: with its first rows, so that one that comes to nothing leaves an earlier folder alone. */
  let opening: Uint8Array[] = [];
  const flush = async (now: number): Promise<void> => {
    if (flushed === null) {
      await fs.makeDirectory(directory);
      if (earlier === null) await positions.removeOthers({});
      // A file of the same second goes on.
      if (earlier?.[name] === undefined)
        records.unshift(...[encodeFileVersion(now), ...(earlier ? [] : opening)].map(frameRecord));
    }
    await fs.append(path, joinBytes(records));
    [records, flushed] = [[], now];
  };
  const write = async (now: number, ...events: readonly Uint8Array[]): Promise<void> => {
    records.push(...events.map(frameRecord));
    if (flushed === null || Math.abs(now - flushed) >= flushSeconds) await flush(now);
  };
  return {
    name: "tensorboard",
    async checkpoint(step) {
      if (records.length > 0) await flush(wallTime());
      if (flushed === null && earlier === null) return; // nothing was told
      await positions.keep(step, { ...earlier, ...(flushed !== null && { [name]: await fs.size(path) }) });
    },
    async goOn(step) {
      earlier = await positions.cutTo(step);
      return earlier !== null;
    },
    begin(run) {
      const now = wallTime();
      opening = [...encodeHparams(now, run), encodeLayout(now)];
    },
    async log(metrics, step) {
      const now = wallTime();
      await write(now, encodeScalars(now, step, metrics));
    },
    async evaluation(evaluation) {
      const now = wallTime();
      await write(now, encodeScalars(now, evaluation.step, validationMetrics(evaluation)));
    },
    async transcripts(episodes, step) {
      const now = wallTime();
      const texts = episodes.map((each, i) => encodeText(now, step, `transcripts/${i + 1}`, readableEpisode(each)));
      await write(now, ...texts);
    },
    async close(outcome) {
      const now = wallTime();
      const isEmpty = flushed === null && records.length === 0;
      if (opening.length > 0 && outcome && !isEmpty) records.push(frameRecord(encodeHparamsEnd(now, outcome)));
      if (records.length > 0) await flush(now);
    },
  };
}
