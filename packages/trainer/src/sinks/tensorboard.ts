import { hostname } from "node:os";
import { join } from "node:path";
import type { FileSystem } from "../run/file-system.ts";
import { nodeFileSystem } from "../run/file-system.ts";
import type { MetricSink } from "./metric-sink.ts";
import { encodeFileVersion, encodeScalars, frameRecord } from "./tensorboard-events.ts";

export interface TensorBoardOptions {
  readonly directory: string;
  /** Seconds since 1970, for file names and event times. */
  readonly wallTime: () => number;
  readonly fileSystem?: FileSystem;
}

/** Writes TensorBoard event files. A resumed run starts the folder anew: two files would show every step twice. */
export function tensorBoardSink(options: TensorBoardOptions): MetricSink {
  const { directory, wallTime, fileSystem: fs = nodeFileSystem } = options;
  const path = join(directory, `events.out.tfevents.${Math.floor(wallTime())}.${hostname()}`);
  let records: Uint8Array[] = [frameRecord(encodeFileVersion(wallTime()))];
  let started = false;
  const flush = async (): Promise<void> => {
    if (!started) {
      await fs.remove(directory);
      await fs.makeDirectory(directory);
      started = true;
    }
    await fs.append(path, Buffer.concat(records));
    records = [];
  };
  return {
    name: "tensorboard",
    async log(metrics, step) {
      records.push(frameRecord(encodeScalars(wallTime(), step, metrics)));
      await flush();
    },
    close: () => undefined,
  };
}
