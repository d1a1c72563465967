import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { boundedJson, LaconicError } from "@laconic/core";
import { unpackedBytes } from "@laconic/core/platform";
import { membersIn, recordVersion, runFiles } from "@laconic/core/run-folder";
import { isObject, type Json } from "../rules/closed-set.ts";
import type { TrainSettings } from "../rules/settings.ts";
import { changesIn, configAt, type ChangeRow } from "./changes.ts";
import type { Recorded } from "./record.ts";
import { bytesOf, partsOf, rowsOf } from "./rows.ts";

/** A checkpoint in the folder, or the first weights, whose state is empty. */
export interface KeptCheckpoint {
  readonly step: number;
  readonly folder: string;
  readonly state: Json;
}

/** All that a run folder holds, read without the program that wrote it. */
export interface RunFolder {
  readonly directory: string;
  /** As it is written last. */
  readonly config: Json;
  readonly changes: readonly ChangeRow[];
  readonly manifest: Json;
  /** Checksums of what the run reads, of the manifest. */
  readonly inputs: Json;
  /** Rows of `metrics.jsonl`, in their order. */
  readonly metrics: AsyncGenerator<Json & { readonly step: number }>;
  /** Rows of `evaluations.jsonl`. */
  readonly evaluations: readonly (Json & { readonly step: number })[];
  /** The first step whose rows are kept. */
  readonly rowsFrom: number;
  /** Records of steps and evaluations, in the order of the file. */
  readonly records: readonly Recorded[];
  /** Figures of the test problems and their episodes; null where the folder has none. */
  readonly test: { readonly row: Json; readonly record: Recorded | null } | null;
  readonly checkpoints: readonly KeptCheckpoint[];
  readonly beginning: readonly KeptCheckpoint[];
  /** The run warns that its held-out problems are training problems too. */
  readonly admitsSeen: boolean;
  /** Files and folders that are not read. */
  readonly unread: readonly string[];
  /** Settings of a step. */
  trainAt(step: number): TrainSettings;
}

const read = ["config", "manifest", "metrics", "episodes", "evaluations", "test", "testEpisodes"] as const;
const alsoRead = ["changes", "checkpoints", "parts", "beginning"] as const;

/** @throws LaconicError `run_missing`, `config_invalid` for a folder without a run, or records of another version */
export async function readRunFolder(directory: string): Promise<RunFolder> {
  const path = (key: keyof typeof runFiles): string => join(directory, runFiles[key]);
  const textOf = async (key: keyof typeof runFiles): Promise<string> =>
    existsSync(path(key)) ? readFile(path(key), "utf8") : "";
  if (!existsSync(path("config")))
    throw new LaconicError(
      "run_missing",
      `${directory} holds no run: it has no config.json; name the folder of a run`,
      {
        directory,
      },
    );
  const config = await readObject(path("config"));
  // A library may store the settings of the training alone.
  const trainIn = (all: Json): Json => (isObject(all["train"]) ? all["train"] : all);
  if (typeof trainIn(config)["steps"] !== "number")
    throw new LaconicError("config_invalid", `${path("config")} does not say how many steps the run has`, {
      directory,
    });
  const changes = changesIn(await textOf("changes"), path("changes"));
  const manifest = existsSync(path("manifest")) ? await readObject(path("manifest")) : {};
  const rows = await partsOf(directory, runFiles.metrics);
  const records: Recorded[] = [];
  for (const { file } of await partsOf(directory, runFiles.episodes)) records.push(...(await recordsIn(file)));
  const evaluations: (Json & { readonly step: number })[] = [];
  for await (const row of rowsOf(await partsOf(directory, runFiles.evaluations))) evaluations.push(row);
  const [record = null] = existsSync(path("testEpisodes")) ? await recordsIn(path("testEpisodes")) : [];
  const names: string[] = [...read, ...alsoRead].map((key) => runFiles[key]);
  const settings = new Map<number, TrainSettings>();
  return {
    directory,
    config,
    changes,
    manifest,
    inputs: isObject(manifest["inputs"]) ? manifest["inputs"] : {},
    metrics: rowsOf(rows),
    evaluations,
    rowsFrom: Math.max(1, rows[0]?.first ?? 1),
    records,
    test: existsSync(path("test")) ? { row: await readObject(path("test")), record } : null,
    checkpoints: await checkpointsOf(path("checkpoints")),
    beginning: existsSync(join(path("beginning"), "manifest.json"))
      ? [{ step: 0, folder: path("beginning"), state: {} }]
      : [],
    admitsSeen: (await textOf("warnings")).includes("seen in training:"),
    unread: (await readdir(directory)).filter((name) => !names.includes(name)).toSorted(),
    trainAt(step) {
      // One value for all steps between two changes.
      const since = Math.max(0, ...changes.map((row) => row.step).filter((each) => each <= step));
      const known = settings.get(since) ?? (trainIn(configAt(config, changes, step)) as unknown as TrainSettings);
      settings.set(since, known);
      return known;
    },
  };
}

/** Records that are written whole. @throws LaconicError `config_invalid` for another version */
async function recordsIn(file: string): Promise<Recorded[]> {
  const records: Recorded[] = [];
  for await (const { head, from, length } of membersIn(async (...place) => bytesOf(file, ...place))) {
    if (!head) continue; // Half written, or damaged: the record is missing.
    const { step, version } = head;
    const advice = `${file}: the record of step ${step} has version ${version}, expected ${recordVersion}`;
    if (version !== recordVersion)
      throw new LaconicError("config_invalid", `${advice}; use the laconic that made the run`, { step, version });
    records.push({ ...head, json: () => new TextDecoder().decode(unpackedBytes(bytesOf(file, from, length))) });
  }
  return records;
}

async function checkpointsOf(folder: string): Promise<KeptCheckpoint[]> {
  const names = existsSync(folder) ? (await readdir(folder)).filter((name) => /^step-\d+$/u.test(name)) : [];
  return Promise.all(
    names.toSorted().map(async (name) => ({
      step: Number(name.slice("step-".length)),
      folder: join(folder, name),
      state: await readObject(join(folder, name, "state.json")),
    })),
  );
}

/** @throws LaconicError `config_invalid` naming a file that cannot be read or holds something else than an object */
export async function readObject(file: string): Promise<Json> {
  let reason = "it holds no object of JSON";
  try {
    const value = boundedJson(await readFile(file, "utf8"));
    if (isObject(value)) return value;
  } catch (error) {
    reason = (error as Error).message;
  }
  throw new LaconicError("config_invalid", `${file} cannot be read: ${reason}; restore the file`, { file });
}
