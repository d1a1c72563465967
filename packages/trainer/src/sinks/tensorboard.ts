import { joinPath, type FileSystem } from "@laconic/core/files";
import { nodeFileSystem, nodeProcesses } from "#platform";
import type { MetricSink } from "./metric-sink.ts";
import { encodeFileVersion, encodeScalars, frameRecord } from "./tensorboard-events.ts";

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
 * Writes TensorBoard event files, at most once a second. A resumed run replaces the event files of the directory: two
 * would show every step twice.
 */
export function tensorBoardSink(options: TensorBoardOptions): MetricSink {
  const { directory, wallTime, fileSystem: fs = nodeFileSystem } = options;
  const path = joinPath(directory, `${prefix}${Math.floor(wallTime())}.${nodeProcesses.host}`);
  let records: Uint8Array[] = [];
  let flushed: number | null = null; // when
  const flush = async (now: number): Promise<void> => {
    if (flushed === null) {
      await fs.makeDirectory(directory);
      for (const name of await fs.list(directory))
        if (name.startsWith(prefix)) await fs.remove(joinPath(directory, name));
      records.unshift(frameRecord(encodeFileVersion(now)));
    }
    await fs.append(path, joined(records));
    [records, flushed] = [[], now];
  };
  return {
    name: "tensorboard",
    async log(metrics, step) {
      const now = wallTime();
      records.push(frameRecord(encodeScalars(now, step, metrics)));
      if (flushed === null || Math.abs(now - flushed) >= flushSeconds) await flush(now);
    },
    async close() {
      if (records.length > 0) await flush(wallTime());
    },
  };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
