import type { SinkOutcome, SinkRun, CompleteSink } from "./metric-sink.ts";
import { doubleField, intField, lengthField } from "@laconic/core/wire";
import {
  encodePluginData,
  stringTensor,
  encodeFileVersion,
  encodeScalars,
  encodeText,
  frameRecord,
} from "./tensorboard-events.ts";
import { optionCheck } from "@laconic/core/checks";
import { joinBytes, joinPath, type FileSystem } from "@laconic/core/files";
import { hostname } from "node:os";
import { nodeFileSystem } from "#platform";
import { validationMetrics } from "./validation-metrics.ts";
import { readableEpisode } from "./readable-episode.ts";

/** Folder and clock of the event files. */
export interface TensorBoardOptions {
  readonly directory: string;
  /** Seconds since 1970. */
  readonly wallTime: () => number;
  readonly fileSystem?: FileSystem;
}

const checkOptions = optionCheck<TensorBoardOptions>()("tensorBoardSink", "directory wallTime fileSystem");

/** Min seconds between writes; a resumed run sends all rows at once. */
const flushSeconds = 1;

const eventPrefix = "events.out.tfevents.";

/**
 * Writes TensorBoard event files: scalars of steps and validations, settings (HPARAMS), and transcripts (TEXT) as code
 * blocks. A run's file replaces earlier ones, so that no step appears twice.
 */
export function tensorBoardSink(options: TensorBoardOptions): CompleteSink {
  checkOptions(options);
  const { directory, wallTime, fileSystem: fs = nodeFileSystem } = options;
  const path = joinPath(directory, `${eventPrefix}${Math.floor(wallTime())}.${hostname()}`);
  let records: Uint8Array[] = [];
  let flushed: number | null = null;
  /** First events, written with the first rows: a run without rows changes no earlier folder. */
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
          (episode, i) => (now: number) => encodeText(now, step, `transcripts/${i + 1}`, readableEpisode(episode)),
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

const comparedMetrics = ["validation/accuracy", "validation/tokens"] as const;

const typeNumbers = { string: 1, boolean: 2, number: 3 } as const;
const statusOf = { finished: 1, failed: 2, interrupted: 3 } as const; // success, failure, running

function encodeHparams(wallTime: number, { name, config }: SinkRun): Uint8Array[] {
  const settings = Object.entries(flatSettings(config));
  const infos = settings.map(([key, value]) =>
    lengthField(4, lengthField(1, key), intField(4, typeNumbers[typeof value as keyof typeof typeNumbers])),
  );
  const metrics = comparedMetrics.map((tag) =>
    lengthField(5, lengthField(1, lengthField(2, tag)), lengthField(3, tag)),
  );
  const experiment = lengthField(2, doubleField(3, wallTime), ...infos, ...metrics);
  const values = settings.map(([key, value]) => lengthField(1, lengthField(1, key), lengthField(2, valueOf(value))));
  const start = lengthField(3, ...values, lengthField(4, name), doubleField(5, wallTime));
  return [
    encodePluginData(wallTime, "_hparams_/experiment", "hparams", experiment),
    encodePluginData(wallTime, "_hparams_/session_start_info", "hparams", start),
  ];
}

function encodeHparamsEnd(wallTime: number, outcome: SinkOutcome): Uint8Array {
  const end = lengthField(4, intField(1, statusOf[outcome]), doubleField(2, wallTime));
  return encodePluginData(wallTime, "_hparams_/session_end_info", "hparams", end);
}

/** CUSTOM SCALARS: validation accuracy with its interval, and tokens. */
function encodeLayout(wallTime: number): Uint8Array {
  const series = lengthField(
    1,
    lengthField(1, "validation/accuracy"),
    lengthField(2, "validation/accuracy_low"),
    lengthField(3, "validation/accuracy_high"),
  );
  const accuracy = lengthField(2, lengthField(1, "accuracy, with its interval of 95 %"), lengthField(3, series));
  const tokens = lengthField(
    2,
    lengthField(1, "tokens per episode"),
    lengthField(2, lengthField(1, "validation/tokens")),
  );
  const layout = lengthField(2, lengthField(1, "validation problems"), accuracy, tokens);
  return encodePluginData(wallTime, "custom_scalars__config__", "custom_scalars", null, stringTensor(layout));
}

type Value = string | number | boolean;

/** Encodes `google.protobuf.Value`. */
function valueOf(value: Value): Uint8Array {
  if (typeof value === "number") return doubleField(2, value);
  return typeof value === "string" ? lengthField(3, value) : intField(4, value ? 1 : 0);
}

/** Flattens to names such as `train.budget.targetTokens`. Nested lists become JSON; nulls are omitted. */
function flatSettings(settings: unknown, path = ""): Record<string, Value> {
  if (settings === null || settings === undefined) return {};
  if (typeof settings === "string" || typeof settings === "number" || typeof settings === "boolean")
    return { [path]: settings };
  if (Array.isArray(settings)) return { [path]: JSON.stringify(settings) };
  return Object.assign(
    {},
    ...Object.entries(settings).map(([key, item]) => flatSettings(item, path === "" ? key : `${path}.${key}`)),
  ) as Record<string, Value>;
}
