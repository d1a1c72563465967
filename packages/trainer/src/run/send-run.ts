import { joinPath, type FileSystem } from "@laconic/core/files";
import { nodeFileSystem } from "#platform";
import { lastOf } from "./last-of.ts";
import { runFiles } from "@laconic/core/run-folder";
import { parsed, recordIn } from "../reading/run-source.ts";
import { readSettings } from "./stored-run.ts";
import type { MetricSink, SinkOutcome } from "../sinks/metric-sink.ts";
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
  const config = await readSettings(fs, directory);
  const file = joinPath(directory, runFiles.environment);
  const text = (await fs.exists(file)) ? new TextDecoder().decode(await fs.read(file)) : null;
  const environment = recordIn(parsed(text)) ?? {};
  await sinks.begin({ name: lastOf(directory), directory, config, environment });
  await sinks.replay(fs, { directory, config });
  await sinks.close(outcome);
  return failed;
}
