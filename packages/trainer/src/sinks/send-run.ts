import { boundedJson, LaconicError } from "@laconic/core";
import { joinPath, type FileSystem } from "@laconic/core/files";
import { nodeFileSystem } from "#platform";
import { lastOf } from "../run/last-of.ts";
import { runFiles } from "../run/run-files.ts";
import type { MetricSink, SinkOutcome } from "./metric-sink.ts";
import { sinkSet } from "./sink-set.ts";

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
  const read = async (name: string): Promise<Readonly<Record<string, unknown>> | null> => {
    const path = joinPath(directory, name);
    if (!(await fs.exists(path))) return null;
    return boundedJson(new TextDecoder().decode(await fs.read(path))) as Readonly<Record<string, unknown>>;
  };
  const config = await read(runFiles.config);
  if (config === null) throw new LaconicError("run_missing", `${directory} holds no run`, { directory });
  const environment = (await read(runFiles.environment)) ?? {};
  await sinks.begin({ name: lastOf(directory), directory, config, environment });
  await sinks.replay(fs, directory);
  await sinks.close(outcome);
  return failed;
}
