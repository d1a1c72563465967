import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { configError, LaconicError } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { unpackedBytes } from "@laconic/core/platform";
import { recordVersion, runFiles } from "@laconic/core/run-folder";
import { isObject, type Json } from "../rules/closed-set.ts";
import type { TrainSettings } from "../rules/settings.ts";
import { changesIn, configAt, type ChangeRow } from "./changes.ts";
import type { Recorded } from "./record.ts";
import { membersOf, rowsOf } from "./rows.ts";

type Row = Json & { readonly step: number };

/** Content of a run folder, read without the trainer's code. */
export interface RunFolder {
  readonly directory: string;
  readonly config: Json;
  readonly changes: readonly ChangeRow[];
  readonly manifest: Json;
  /** Checksums of the run's inputs, from the manifest. */
  readonly inputs: Json;
  readonly metrics: AsyncGenerator<Row>;
  readonly evaluations: readonly Row[];
  /** Records of steps and evaluations, in the order of the file. */
  readonly records: readonly Recorded[];
  /** Test figures and episodes; null without a test. */
  readonly test: { readonly row: Json; readonly record: Recorded | null } | null;
  /** Checkpoints, and the first weights with empty state. */
  readonly checkpoints: readonly { readonly step: number; readonly folder: string; readonly state: Json }[];
  readonly unread: readonly string[];
  trainAt(step: number): TrainSettings;
}

/** Defaults for a damaged configuration. */
const lacking = { evaluation: {}, asynchronous: null, problemPool: null, prices: {} } as unknown as TrainSettings;

const read = "config manifest metrics episodes evaluations test testEpisodes changes checkpoints beginning";

/** @throws LaconicError `run_missing`; `config_invalid` for an invalid configuration or another record version */
export async function readRunFolder(directory: string): Promise<RunFolder> {
  const path = (key: keyof typeof runFiles): string => join(directory, runFiles[key]);
  const has = (key: keyof typeof runFiles): boolean => existsSync(path(key));
  if (!has("config"))
    throw new LaconicError("run_missing", `${directory} has no run (no config.json); name a run folder`);
  const config = await readObject(path("config"));
  // A library may store only the training settings.
  const trainIn = (all: Json): Json => (isObject(all["train"]) ? all["train"] : all);
  if (typeof trainIn(config)["steps"] !== "number") throw configError(`${path("config")} lacks the number of steps`);
  const changes = has("changes") ? changesIn(await readFile(path("changes"), "utf8"), path("changes")) : [];
  const manifest = has("manifest") ? await readObject(path("manifest")) : {};
  const records = await recordsIn(path("episodes"));
  const evaluations: Row[] = [];
  for await (const row of rowsOf(path("evaluations"))) evaluations.push(row);
  const [record = null] = has("testEpisodes") ? await recordsIn(path("testEpisodes")) : [];
  const names: string[] = read.split(" ").map((key) => runFiles[key as keyof typeof runFiles]);
  const settings = new Map<number, TrainSettings>();
  return {
    directory,
    config,
    changes,
    manifest,
    inputs: isObject(manifest["inputs"]) ? manifest["inputs"] : {},
    metrics: rowsOf(path("metrics")),
    evaluations,
    records,
    test: has("test") ? { row: await readObject(path("test")), record } : null,
    checkpoints: await checkpointsOf(path("checkpoints"), path("beginning")),
    unread: (await readdir(directory)).filter((name) => !names.includes(name)).toSorted(),
    trainAt(step) {
      // Cached: one value for all steps between two changes.
      const since = Math.max(0, ...changes.map((row) => row.step).filter((value) => value <= step));
      const trainSettings = settings.get(since) ?? {
        ...lacking,
        ...(trainIn(configAt(config, changes, step)) as TrainSettings),
      };
      settings.set(since, trainSettings);
      return trainSettings;
    },
  };
}

/** Reads complete records. @throws LaconicError `config_invalid` for another version */
async function recordsIn(file: string): Promise<Recorded[]> {
  const records: Recorded[] = [];
  for await (const { step, version, bytes, ...head } of membersOf(file)) {
    const advice = `${file}: the record of step ${step} has version ${version}, expected ${recordVersion}`;
    if (version !== recordVersion) throw configError(`${advice}; use the version that made the run`, { step, version });
    records.push({ ...head, step, json: () => new TextDecoder().decode(unpackedBytes(bytes())) });
  }
  return records;
}

async function checkpointsOf(folder: string, beginning: string): Promise<RunFolder["checkpoints"]> {
  const names = existsSync(folder) ? (await readdir(folder)).filter((name) => /^step-\d+$/u.test(name)) : [];
  const retained = names.toSorted().map(async (name) => {
    const state = await readObject(join(folder, name, "state.json"));
    return { step: Number(name.slice("step-".length)), folder: join(folder, name), state };
  });
  const first = existsSync(join(beginning, "manifest.json")) ? [{ step: 0, folder: beginning, state: {} }] : [];
  return [...first, ...(await Promise.all(retained))];
}

/** @throws LaconicError `config_invalid` for an unreadable file or a non-object */
export async function readObject(file: string): Promise<Json> {
  let reason = "it is not a JSON object";
  try {
    const value = boundedJson(await readFile(file, "utf8"));
    if (isObject(value)) return value;
  } catch (error) {
    reason = (error as Error).message;
  }
  throw configError(`${file} cannot be read: ${reason}; restore the file`, { file });
}
