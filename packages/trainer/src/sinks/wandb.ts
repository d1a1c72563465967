import { optionCheck } from "@laconic/core/checks";
import { joinBytes, joinPath, type FileSystem } from "@laconic/core/files";
import { hostname } from "node:os";
import { nodeFileSystem } from "#platform";
import type { CompleteSink } from "./metric-sink.ts";
import { validationMetrics } from "./validation-metrics.ts";
import { readableEpisode } from "./readable-episode.ts";
import { finiteMetrics } from "./tensorboard-events.ts";
import { frameWandbRecord, numberedRecord, wandbHead, wandbRecord } from "./wandb-log.ts";

/** Where the offline run goes, and what it is called at W&B. */
export interface WandbOptions {
  /** The run's folder goes below it: `wandb sync` takes either. */
  readonly directory: string;
  readonly project: string;
  /** User or team; the one who is logged in by default. */
  readonly entity?: string;
  /** A new identity of 8 letters and digits; a resumed run keeps the one that it has. */
  readonly newId: () => string;
  /** Seconds since 1970. */
  readonly wallTime: () => number;
  readonly fileSystem?: FileSystem;
}

const checkOptions = optionCheck<WandbOptions>()("wandbSink", "directory project entity newId wallTime fileSystem");

/** Seconds between writes. */
const flushSeconds = 1;

/**
 * Writes a W&B offline run, as `wandb offline` does: `wandb sync FOLDER` sends it, also while it grows. Nothing of W&B need be
 * installed, no key is asked for, and nothing leaves the machine before. A resumed run is written anew, from its first step, under
 * the same identity.
 */
export function wandbSink(options: WandbOptions): CompleteSink {
  checkOptions(options);
  const { directory, project, entity, newId, wallTime, fileSystem: fs = nodeFileSystem } = options;
  let folder = "";
  let path = "";
  let started = 0;
  let offset: number = 0;
  let records: number = 0;
  let flushed: number = 0;
  let pending: Uint8Array[] = [];
  let row: { readonly step: number; values: Record<string, number> } | null = null;
  let isOpen = false;
  let isClosed = false;

  const add = (content: Uint8Array): void => {
    records += 1;
    const framed = frameWandbRecord(numberedRecord(records, content), offset);
    offset += framed.length;
    pending.push(framed);
  };
  const flush = async (): Promise<void> => {
    if (pending.length > 0) await fs.append(path, joinBytes(pending));
    [pending, flushed] = [[], wallTime()];
  };
  /** W&B keeps one row for a step: what comes later of the same one goes into it. */
  const endRow = (): void => {
    if (row === null) return;
    const now = wallTime();
    const values = { ...row.values, _step: row.step, _timestamp: now, _runtime: now - started };
    add(wandbRecord.summary(values));
    add(wandbRecord.history(row.step, values));
    row = null;
  };
  const put = async (step: number, metrics: Readonly<Record<string, number>>): Promise<void> => {
    if (row !== null && row.step !== step) endRow();
    row ??= { step, values: {} };
    Object.assign(row.values, Object.fromEntries(finiteMetrics(metrics)));
    if (Math.abs(wallTime() - flushed) >= flushSeconds) await flush();
  };
  return {
    name: "wandb",
    async begin({ name, config }) {
      started = wallTime();
      const earlier = (await fs.exists(directory))
        ? (await fs.list(directory)).filter((each) => offline.test(each))
        : [];
      const id = offline.exec(earlier.toSorted().at(-1) ?? "")?.[1] ?? newId();
      for (const each of earlier) await fs.remove(joinPath(directory, each));
      folder = joinPath(directory, `offline-run-${stamp(started)}-${id}`);
      path = joinPath(folder, `run-${id}.wandb`);
      await fs.makeDirectory(joinPath(folder, "files"));
      await fs.write(path, wandbHead);
      offset = wandbHead.length;
      isOpen = true;
      add(wandbRecord.header("laconic"));
      add(wandbRecord.run({ id, project, entity, name, config, host: hostname(), startSeconds: started }));
      await flush();
    },
    log: (metrics, step) => put(step, metrics),
    evaluation: (evaluation) => put(evaluation.step, validationMetrics(evaluation)),
    async transcripts(episodes, step) {
      const name = `transcripts/step-${String(step).padStart(6, "0")}.txt`;
      await fs.makeDirectory(joinPath(folder, "files", "transcripts"));
      await fs.write(joinPath(folder, "files", name), `${episodes.map(readableEpisode).join("\n\n")}\n`);
      add(wandbRecord.file(name));
    },
    async close(outcome = "interrupted") {
      if (!isOpen || isClosed) return;
      isClosed = true;
      endRow();
      add(wandbRecord.exit(outcome === "finished" ? 0 : 1, wallTime() - started));
      await flush();
    },
  };
}

const offline = /^offline-run-\d{8}_\d{6}-([a-z0-9]+)$/u;

/** `20260131_235959`, in UTC. */
function stamp(seconds: number): string {
  return new Date(seconds * 1000)
    .toISOString()
    .replaceAll(/[-:]|\..*/gu, "")
    .replace("T", "_");
}
