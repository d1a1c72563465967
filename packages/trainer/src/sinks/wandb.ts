import type { UnknownRecord } from "@laconic/core";
import { joinBytes, joinPath, type FileSystem } from "@laconic/core/files";
import { crc32, finiteMetrics } from "./tensorboard-events.ts";
import { intField, lengthField } from "@laconic/core/wire";
import { optionCheck } from "@laconic/core/checks";
import { hostname } from "node:os";
import { nodeFileSystem } from "#platform";
import type { CompleteSink, SinkRun } from "./metric-sink.ts";
import { validationMetrics } from "./validation-metrics.ts";
import { readableEpisode } from "./readable-episode.ts";

/** W&B uses LevelDB's log format: blocks with chunks of records. */
const blockBytes = 32_768;
const chunkHead = 7;

/** Chunks of a record that spans blocks; `whole` within a block. */
const chunkKind = { whole: 1, first: 2, middle: 3, last: 4 } as const;

/** `:W&B`, magic number 0xBEE1, version 0. */
const wandbHead: Uint8Array = Uint8Array.of(0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0);

/** Splits a record into chunks. @param offset - file position, including the head */
function frameWandbRecord(record: Uint8Array, offset: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let index = offset;
  let done = 0;
  let isFirst = true;
  do {
    const left = blockBytes - (index % blockBytes);
    if (left < chunkHead) {
      chunks.push(new Uint8Array(left));
      index += left;
      continue;
    }
    const part = record.subarray(done, done + left - chunkHead);
    done += part.length;
    const isLast = done === record.length;
    const kind = isFirst ? (isLast ? "whole" : "first") : isLast ? "last" : "middle";
    chunks.push(chunkOf(chunkKind[kind], part));
    index += chunkHead + part.length;
    isFirst = false;
  } while (done < record.length || isFirst);
  return joinBytes(chunks);
}

function chunkOf(kind: number, part: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(chunkHead + part.length);
  const view = new DataView(chunk.buffer);
  chunk[6] = kind;
  chunk.set(part, chunkHead);
  view.setUint32(0, crc32(chunk.subarray(6)), true);
  view.setUint16(4, part.length, true);
  return chunk;
}

/** Field numbers of `wandb_internal.proto`. */
const wandbRecord = {
  /** @param producer - name of the writer; version 0.9.0 is the oldest that reads these records */
  header: (producer: string): Uint8Array =>
    lengthField(21, lengthField(1, lengthField(1, producer), lengthField(2, "0.9.0"))),
  run: (id: string, { project, entity }: WandbOptions, { name, config }: SinkRun, startSeconds: number): Uint8Array =>
    lengthField(
      17,
      lengthField(1, id),
      ...(entity === undefined ? [] : [lengthField(2, entity)]),
      lengthField(3, project),
      lengthField(4, ...items(1, config, 1)),
      lengthField(8, name),
      lengthField(13, hostname()),
      lengthField(17, intField(1, Math.floor(startSeconds))),
    ),
  history: (step: number, values: UnknownRecord): Uint8Array =>
    lengthField(2, ...items(1, values, 2), lengthField(2, intField(1, step))),
  summary: (values: UnknownRecord): Uint8Array => lengthField(3, ...items(1, values, 2)),
  /** @param path - relative to the run's `files` */
  file: (path: string): Uint8Array => lengthField(6, lengthField(1, lengthField(1, path))),
  exit: (code: number, runtimeSeconds: number): Uint8Array =>
    lengthField(18, intField(1, code), intField(2, Math.floor(runtimeSeconds))),
} as const;

/** @param key - 1 for a plain name, 2 if possibly nested */
function items(field: number, values: UnknownRecord, key: 1 | 2): Uint8Array[] {
  return Object.entries(values).map(([name, value]) =>
    lengthField(field, lengthField(key, name), lengthField(16, JSON.stringify(value))),
  );
}

/** Folder, names and clock of the offline run. */
export interface WandbOptions {
  /** Parent of the run's folder; `wandb sync` accepts either. */
  readonly directory: string;
  readonly project: string;
  /** Default: the logged-in user. */
  readonly entity?: string;
  /** Returns 8 letters and digits; a resumed run keeps its id. */
  readonly newId: () => string;
  /** Seconds since 1970. */
  readonly wallTime: () => number;
  readonly fileSystem?: FileSystem;
}

const checkOptions = optionCheck<WandbOptions>()("wandbSink", "directory project entity newId wallTime fileSystem");

const flushSeconds = 1;

/**
 * Writes a W&B offline run without W&B or a key; nothing is sent. `wandb sync FOLDER` uploads it, even while it grows.
 * A resumed run is rewritten with the same id.
 */
export function wandbSink(options: WandbOptions): CompleteSink {
  checkOptions(options);
  const { directory, newId, wallTime, fileSystem: fs = nodeFileSystem } = options;
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
    const framed = frameWandbRecord(joinBytes([intField(1, records), content]), offset);
    offset += framed.length;
    pending.push(framed);
  };
  const flush = async (): Promise<void> => {
    if (pending.length > 0) await fs.append(path, joinBytes(pending));
    [pending, flushed] = [[], wallTime()];
  };
  /** W&B keeps one row per step, so later values are merged. */
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
    async begin(run) {
      started = wallTime();
      const earlier = (await fs.exists(directory))
        ? (await fs.list(directory)).filter((text) => offline.test(text))
        : [];
      const id = offline.exec(earlier.toSorted().at(-1) ?? "")?.[1] ?? newId();
      for (const text of earlier) await fs.remove(joinPath(directory, text));
      folder = joinPath(directory, `offline-run-${stamp(started)}-${id}`);
      path = joinPath(folder, `run-${id}.wandb`);
      await fs.makeDirectory(joinPath(folder, "files"));
      await fs.write(path, wandbHead);
      offset = wandbHead.length;
      isOpen = true;
      add(wandbRecord.header("laconic"));
      add(wandbRecord.run(id, options, run, started));
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
