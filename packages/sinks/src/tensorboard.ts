import { joinPath, type FileSystem } from "@laconic/core/files";
import { hostname } from "node:os";
import { type CompleteSink, heldOutMetrics, nodeFileSystem } from "@laconic/trainer";
import { concat } from "./protobuf.ts";
import { readableEpisode } from "./readable-episode.ts";
import { encodeFileVersion, encodeScalars, encodeText, frameRecord } from "./tensorboard-events.ts";
import { encodeHparams, encodeHparamsEnd, encodeLayout } from "./tensorboard-plugins.ts";

const prefix = "events.out.tfevents.";

/** Where event files go, and whose clock stamps them. */
export interface TensorBoardOptions {
  readonly directory: string;
  /** Seconds since 1970, for file names and event times. */
  readonly wallTime: () => number;
  readonly fileSystem?: FileSystem;
}

/** Seconds between writes: a resumed run hands over all its earlier rows at once. */
const flushSeconds = 1;

/**
 * Writes TensorBoard event files, at most once a second: scalars of steps and of held-out problems, settings for the HPARAMS tab,
 * transcripts for the TEXT tab, where they are code and never markup. A resumed run replaces the event files of the directory: two
 * would show every step twice.
 */
export function tensorBoardSink(options: TensorBoardOptions): CompleteSink {
  const { directory, wallTime, fileSystem: fs = nodeFileSystem } = options;
  const path = joinPath(directory, `${prefix}${Math.floor(wallTime())}.${hostname()}`);
  let records: Uint8Array[] = [];
  let flushed: number | null = null; // when
  /** Of the run: with its first rows, so that one that comes to nothing leaves an earlier folder alone. */
  let opening: Uint8Array[] = [];
  const flush = async (now: number): Promise<void> => {
    if (flushed === null) {
      await fs.makeDirectory(directory);
      for (const name of await fs.list(directory))
        if (name.startsWith(prefix)) await fs.remove(joinPath(directory, name));
      records.unshift(...[encodeFileVersion(now), ...opening].map(frameRecord));
    }
    await fs.append(path, concat(records));
    [records, flushed] = [[], now];
  };
  const write = async (now: number, ...events: readonly Uint8Array[]): Promise<void> => {
    records.push(...events.map(frameRecord));
    if (flushed === null || Math.abs(now - flushed) >= flushSeconds) await flush(now);
  };
  return {
    name: "tensorboard",
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
      await write(now, encodeScalars(now, evaluation.step, heldOutMetrics(evaluation)));
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
