import { join } from "node:path";
import type { ServerChange } from "@laconic/openai/fleet";
import { nodeFileSystem, readLines, readSettings, runFiles } from "@laconic/trainer";

/** A server of a run that went into quarantine or came out of it. */
export interface RecordedServerChange extends Omit<ServerChange, "message"> {
  /** Steps done by then. */
  readonly step: number;
  /** ISO 8601. */
  readonly time: string;
}

const isText = (value: unknown): value is string => typeof value === "string";

/**
 * What happened to the servers that a run samples on, in order, from its warnings.
 * @throws LaconicError `run_missing` where the folder holds no run
 */
export async function serverHistory(directory: string): Promise<RecordedServerChange[]> {
  await readSettings(nodeFileSystem, directory);
  const rows = await readLines(nodeFileSystem, join(directory, runFiles.warnings));
  return rows.flatMap(({ step, time, server, state, reason }) =>
    typeof step === "number" &&
    isText(time) &&
    isText(server) &&
    isText(reason) &&
    (state === "quarantined" || state === "up")
      ? [{ step, time, server, state, reason }]
      : [],
  );
}

/** One line for each change, with the seconds that a server was out once it is back. */
export function historyLines(changes: readonly RecordedServerChange[]): string[] {
  const outSince = new Map<string, string>();
  return changes.map(({ step, time, server, state, reason }) => {
    const at = `${time}, after step ${step}: `;
    const since = outSince.get(server);
    if (state === "quarantined") {
      if (since === undefined) outSince.set(server, time);
      return `${at}quarantined ${reason}`;
    }
    outSince.delete(server);
    const seconds = since === undefined ? null : Math.round((Date.parse(time) - Date.parse(since)) / 1000);
    return `${at}back        ${server}${seconds === null ? "" : `: passed a probe after ${seconds} s`}`;
  });
}
