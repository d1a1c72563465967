import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { boundedJson, LaconicError } from "@laconic/core";
import { linesIn } from "@laconic/core/files";
import { unpackedBytes } from "@laconic/core/platform";
import {
  formerRecordVersion,
  formerRunFiles,
  membersIn,
  recordVersion,
  runFiles,
  type FormerRecord,
} from "@laconic/core/run-folder";
import { changesIn, configAt, type ChangeRow } from "./changes.ts";
import type { Findings } from "../findings.ts";
import { entriesOf, readObject } from "./json-file.ts";
import type { Recorded } from "./record.ts";
import { bytesOf, partsOf, RowsByStep, type PartFile } from "./rows-by-step.ts";
import { checkKnownSettings, type TrainSettings } from "../rules/settings.ts";

type Json = Readonly<Record<string, unknown>>;

/** A checkpoint that the folder still holds. */
export interface KeptCheckpoint {
  readonly step: number;
  readonly folder: string;
  readonly state: Json;
}

/** All that a run folder says, read without a word of the program that wrote it. */
export interface RunFolder {
  readonly directory: string;
  readonly task: unknown;
  /** As it is written last. */
  readonly config: Json;
  /** Settings as they were written last. */
  readonly train: TrainSettings;
  /** Set where a reward of the user's own judged. */
  readonly hasOwnReward: boolean;
  readonly lora: boolean;
  /** Rows by step. */
  readonly metrics: RowsByStep;
  /** The first step whose row is kept: those before were let go. */
  readonly rowsFrom: number;
  /** Records of the first steps were let go. */
  readonly hasLetGo: boolean;
  readonly steps: ReadonlyMap<number, Recorded>;
  readonly evaluated: ReadonlyMap<number, Recorded>;
  readonly evaluations: ReadonlyMap<number, Json>;
  /** Episodes of the test problems, and what `test.json` says of them; null where the run measured none. */
  readonly test: { readonly row: Json; readonly episodes: Recorded | null } | null;
  readonly checkpoints: readonly KeptCheckpoint[];
  /** Folder of the first weights; null where they were not kept. */
  readonly beginning: string | null;
  readonly changes: readonly ChangeRow[];
  /** The settings that a step was taken under. */
  trainAt(step: number): TrainSettings;
}

/** @throws LaconicError `run_missing`, `config_invalid` for a folder that is no run's or a record this program does not know */
export async function readRunFolder(directory: string): Promise<RunFolder> {
  const path = (name: string): string => join(directory, name);
  if (!existsSync(path(runFiles.config)))
    throw new LaconicError(
      "run_missing",
      `${directory} holds no run: there is no config.json; name the folder that a run was written to`,
      { directory },
    );
  const config = await readObject(path(runFiles.config));
  const trainIn = (all: Json): Json & TrainSettings => (all["train"] ?? all) as Json & TrainSettings;
  const given = trainIn(config);
  if (typeof given["steps"] !== "number")
    throw new LaconicError(
      "config_invalid",
      `${path(runFiles.config)} is of something else: it does not say how many steps the run has`,
      { file: path(runFiles.config) },
    );
  const changesFile = path(runFiles.changes);
  const changes = existsSync(changesFile) ? changesIn(await readFile(changesFile, "utf8"), changesFile) : [];
  const held = new Map<number, TrainSettings>();
  for (const step of [0, ...changes.map((row) => row.step)])
    checkKnownSettings(configAt(config, changes, step), path(runFiles.config));
  const trainAt = (step: number): TrainSettings => {
    // One value for all steps between two changes.
    const since = Math.max(0, ...changes.map((row) => row.step).filter((each) => each <= step));
    const known = held.get(since) ?? (changes.length === 0 ? given : trainIn(configAt(config, changes, step)));
    held.set(since, known);
    return known;
  };
  const recorded = await formerRecords(path(formerRunFiles.records));
  const members = await partsOf(directory, runFiles.episodes);
  for (const { file } of members) for (const each of await recordedIn(file)) recorded.push(each);
  const rows = await partsOf(directory, runFiles.metrics);
  const ofKind = (wanted: string): Map<number, Recorded> =>
    new Map(recorded.filter(({ kind }) => kind === wanted).map((each) => [each.step, each]));
  return {
    directory,
    task: config["task"],
    config,
    train: given,
    changes,
    trainAt,
    hasOwnReward: given["reward"] !== undefined,
    lora: (config["lora"] ?? null) !== null,
    metrics: await RowsByStep.of(rows),
    hasLetGo: (members[0]?.first ?? 0) > 0,
    rowsFrom: Math.max(1, rows[0]?.first ?? 1),
    steps: ofKind("step"),
    evaluated: ofKind("evaluation"),
    evaluations: byStep((await Promise.all((await partsOf(directory, runFiles.evaluations)).map(rowsOf))).flat()),
    test: existsSync(path(runFiles.test))
      ? {
          row: await readObject(path(runFiles.test)),
          episodes: (await recordedIn(path(runFiles.testEpisodes)))[0] ?? null,
        }
      : null,
    checkpoints: await checkpointsOf(path(runFiles.checkpoints)),
    beginning: existsSync(path(`${runFiles.beginning}/manifest.json`)) ? path(runFiles.beginning) : null,
  };
}

/** Steps and evaluations that are recorded whole. @throws LaconicError `config_invalid` for a version this program does not know */
async function recordedIn(file: string): Promise<Recorded[]> {
  const found: Recorded[] = [];
  if (!existsSync(file)) return found;
  for await (const { head, from, length } of membersIn(async (...place) => bytesOf(file, ...place))) {
    if (!head) continue; // Half written, or damaged: the step is missing.
    checkVersion(file, head, recordVersion);
    const { step, kind } = head;
    if (head.isComplete) found.push({ step, kind, json: () => textOf(bytesOf(file, from, length)) });
  }
  return found;
}

/** Of a run that an earlier version recorded. */
async function formerRecords(file: string): Promise<Recorded[]> {
  const rows = (await rowsOf({ file, isPacked: false })) as unknown as FormerRecord[];
  return rows.map(({ deflate, ...head }) => {
    checkVersion(file, head, formerRecordVersion);
    return { ...head, json: () => textOf(Buffer.from(deflate, "base64"), "deflate-raw") };
  });
}

function checkVersion(file: string, { step, version }: Pick<FormerRecord, "step" | "version">, known: number): void {
  if (version !== known)
    throw new LaconicError(
      "config_invalid",
      `${file}: the record of step ${step} has version ${version}, this program knows ${known}; audit with the laconic that made the run`,
      { step, version },
    );
}

/** Rows of a file that are whole, whatever its length: a run that goes on may be writing the last. */
async function rowsOf(file: Pick<PartFile, "file" | "isPacked">): Promise<Json[]> {
  const rows: Json[] = [];
  for await (const line of linesOf(file)) {
    try {
      const row = boundedJson(line);
      if (typeof row === "object" && row !== null) rows.push(row as Json);
    } catch {
      // Half written.
    }
  }
  return rows;
}

/** Line by line: a file may be longer than a string can be. */
async function* linesOf(part: Pick<PartFile, "file" | "isPacked">): AsyncGenerator<string> {
  if (existsSync(part.file))
    for await (const line of linesIn(piecesOf(part))) if (line) yield new TextDecoder().decode(line);
}

/** Of a packed part each member, of another file what is read at once. */
async function* piecesOf({ file, isPacked }: Pick<PartFile, "file" | "isPacked">): AsyncGenerator<Uint8Array> {
  if (!isPacked) yield* createReadStream(file);
  else
    for await (const { head, from, length } of membersIn(async (...place) => bytesOf(file, ...place)))
      if (head) yield unpackedBytes(bytesOf(file, from, length));
}

function textOf(packed: Uint8Array, form?: "deflate-raw"): string {
  return new TextDecoder().decode(unpackedBytes(packed, undefined, form));
}

function byStep(rows: readonly Json[]): Map<number, Json> {
  return new Map(rows.map((row) => [row["step"] as number, row]));
}

async function checkpointsOf(folder: string): Promise<KeptCheckpoint[]> {
  const names = existsSync(folder) ? (await readdir(folder)).filter((name) => /^step-\d+$/.test(name)).toSorted() : [];
  return Promise.all(
    names.map(async (name) => ({
      step: Number(name.slice("step-".length)),
      folder: join(folder, name),
      state: await readObject(join(folder, name, "state.json")),
    })),
  );
}

/** Files against the checksums that checkpoints and first weights were stored with. */
export async function checkDigests(
  { directory, checkpoints, beginning, rowsFrom }: RunFolder,
  findings: Findings,
): Promise<void> {
  const folders = [
    ...checkpoints.map(({ step, folder }) => ({ step, folder })),
    ...(beginning === null ? [] : [{ step: 0, folder: beginning }]),
  ];
  for (const { step, folder } of folders) {
    const manifest = await readObject(join(folder, "manifest.json"));
    for (const [file, { sha256 }] of entriesOf(manifest["files"])) {
      const found = await sha256OfFile(join(folder, file)).catch(() => undefined);
      findings.same("folder", { step }, `${folder}/${file}`, sha256, found);
    }
    for (const [file, { sha256 }] of entriesOf(manifest["traces"])) {
      const parts = (await partsOf(directory, file)).filter(({ first, last }) => first <= step && last >= step);
      if (parts.length > 0 || step >= rowsFrom)
        findings.same("folder", { step }, file, sha256, await digestUpTo(parts, step, file === runFiles.episodes));
      else findings.leaveOut(`rows of ${file} at step ${step}`, "`train.retention` let them go");
    }
  }
}

/** Of rows up to a step: those that stood in the file itself when it was done. */
async function digestUpTo(parts: readonly PartFile[], step: number, areMembers: boolean): Promise<string> {
  const hash = createHash("sha256");
  for (const part of parts) {
    const { file } = part;
    if (!areMembers) {
      for await (const line of linesOf(part)) if ((stepIn(line) ?? Infinity) <= step) hash.update(`${line}\n`);
    } else
      for await (const { head, from, length } of membersIn(async (...place) => bytesOf(file, ...place)))
        if ((head?.step ?? Infinity) <= step) hash.update(bytesOf(file, from, length));
  }
  return hash.digest("hex");
}

/** Of any length. @throws Error where it cannot be read */
export async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of createReadStream(file)) hash.update(part as Buffer);
  return hash.digest("hex");
}

function stepIn(line: string): number | null {
  try {
    return (boundedJson(line) as { readonly step: number }).step;
  } catch {
    return null;
  }
}
