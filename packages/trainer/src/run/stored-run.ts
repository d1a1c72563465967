import { LaconicError, thrownText } from "@laconic/core";
import { joinPath, linesIn, type FileDigest, type FileSystem } from "@laconic/core/files";
import { tryParseJson } from "@laconic/core/json";
import { membersIn, runFiles, type ReadAt } from "@laconic/core/run-folder";
import { sha256OfPieces } from "#platform";
import { lineAt, stepDefect } from "../reading/rows.ts";
import { clearedNames, traceNames } from "../reading/run-files.ts";
import { changesOf, manifestOfRun, readSettings, runManifest } from "../reading/run-manifest.ts";
import type { Change, RunManifest } from "../reading/run-manifest.ts";
import { completeSteps, readManifest, type TraceDigests } from "./checkpoint.ts";
import { piecesBy, replaceFile } from "./file-system.ts";
import type { RunOptions } from "./recorder.ts";

/** Returns true to load a checkpoint, false to begin at step 0. @throws LaconicError `run_missing`, `run_exists` */
export async function continues(
  fs: FileSystem,
  directory: string,
  resume: boolean | "where-possible",
): Promise<boolean> {
  const exists = await fs.exists(joinPath(directory, runFiles.config));
  if (resume === true && !exists)
    throw new LaconicError(
      "run_missing",
      `${directory} has no run to resume; check the path, or start without --resume`,
      { directory },
    );
  if (!exists) return false;
  const checkpoints = joinPath(directory, runFiles.checkpoints);
  const hasCheckpoint = (await completeSteps(fs, checkpoints)).length > 0;
  if (resume === "where-possible") return hasCheckpoint;
  // The first checkpoint creates LATEST: a run that lost its checkpoints does not begin again.
  if (resume)
    return hasCheckpoint || !(await fs.exists(checkpoints)) || (await fs.exists(joinPath(checkpoints, "LATEST")));
  // A run that ended before its first step loses nothing.
  if (hasCheckpoint || (await lineAt(fs, joinPath(directory, runFiles.metrics), "first")) !== null)
    throw new LaconicError("run_exists", `${directory} already has a run; choose another directory, or resume it`, {
      directory,
    });
  return false;
}

export async function clear(fs: FileSystem, directory: string): Promise<void> {
  for (const name of clearedNames) {
    const path = joinPath(directory, name);
    if (await fs.exists(path)) await fs.remove(path);
  }
}

/** Writes the manifest first: every configuration has one. */
export async function writeConfig(fs: FileSystem, directory: string, manifest: RunManifest): Promise<void> {
  await replaceFile(fs, joinPath(directory, runFiles.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
  await replaceFile(fs, joinPath(directory, runFiles.config), `${JSON.stringify(manifest.config.settings, null, 2)}\n`);
}

/**
 * Compares settings and inputs with the original ones.
 * @returns the run's manifest
 * @throws LaconicError `checkpoint_mismatch` naming the first difference
 */
export async function checkSame(
  fs: FileSystem,
  directory: string,
  { config, inputs, adjustable = {} }: Pick<RunOptions, "config" | "inputs" | "adjustable">,
  warn: (message: string) => Promise<void>,
): Promise<RunManifest> {
  const file = joinPath(directory, runFiles.manifest);
  const configFile = joinPath(directory, runFiles.config);
  const retained = await readSettings(fs, directory);
  const stored = await manifestOfRun(fs, directory);
  if (stored === null)
    await warn(`${file} not found: weights, tokenizer and data cannot be compared with those of the start`);
  const manifest = stored ?? runManifest(retained, inputs ?? {});
  const refuse = (what: string, { key, before, now }: Change): never => {
    throw new LaconicError(
      "checkpoint_mismatch",
      `${what} ${key} was ${before} when the run started and is ${now}; restore it, or start a new run`,
      { key, before, now },
    );
  };
  const names = Object.keys(adjustable);
  const settled = ({ key }: Change): boolean => !names.some((name) => key === name || key.startsWith(`${name}.`));
  const [edited] = changesOf(manifest.config.settings, retained).filter(settled);
  if (edited) refuse(`${configFile}: the setting`, edited);
  const [changed] = changesOf(manifest.config.settings, config).filter(settled);
  if (changed) refuse("the setting", changed);
  const [other] = inputs ? changesOf({ files: manifest.inputs }, { files: inputs }) : [];
  if (other) refuse("the input", { ...other, key: other.key.slice("files.".length) });
  return manifest;
}

/** Names a file whose rows differ from the last checkpoint's, or null. */
export async function damagedRows(fs: FileSystem, directory: string): Promise<string | null> {
  const checkpoints = joinPath(directory, runFiles.checkpoints);
  const [last] = await completeSteps(fs, checkpoints);
  if (last === undefined) return null;
  const manifest = await readManifest(fs, joinPath(checkpoints, last)).catch(() => null);
  if (manifest === null) return null;
  try {
    await traceEnds(fs, directory, manifest.step, manifest.traces ?? null);
    return null;
  } catch (error) {
    return thrownText(error);
  }
}

/** Hashes trace files. Files of an open run only grow, so each byte is read once. */
export function traceDigester(fs: FileSystem, directory: string): () => Promise<TraceDigests> {
  const files = new Map<string, { bytes: number; readonly hash: ReturnType<typeof sha256OfPieces> }>();
  return async () => {
    const digests: Record<string, FileDigest> = {};
    for (const name of traceNames.all) {
      const path = joinPath(directory, name);
      if (traceNames.timed.has(name) || !(await fs.exists(path))) continue;
      const file = files.get(name) ?? { bytes: 0, hash: sha256OfPieces() };
      files.set(name, file);
      for await (const piece of piecesBy((...range) => fs.readPart(path, ...range), file.bytes)) {
        file.hash.update(piece);
        file.bytes += piece.length;
      }
      digests[name] = { bytes: file.bytes, sha256: file.hash.digest() };
    }
    return digests;
  };
}

/**
 * Finds the length of each trace file up to a step.
 * @param recorded - digests of the checkpoint; null skips the comparison
 * @throws Error for lost or changed rows
 */
export async function traceEnds(
  fs: FileSystem,
  directory: string,
  step: number,
  recorded: TraceDigests | null,
): Promise<ReadonlyMap<string, number>> {
  const ends = new Map<string, number>();
  for (const name of traceNames.all) {
    const path = joinPath(directory, name);
    const expected = recorded?.[name];
    // Timing files have no checksum, but one row per step.
    const isCounted = recorded !== null && traceNames.timed.has(name);
    if (!(await fs.exists(path))) {
      if (expected) throw new Error(`${name} is missing; it had ${expected.bytes} bytes at step ${step}`);
      if (isCounted && step > 0) throw new Error(`${name} is missing; it had ${step} rows`);
      continue;
    }
    const read: ReadAt = (...range) => fs.readPart(path, ...range);
    if (expected && (await isPrefix(read, expected))) {
      ends.set(name, expected.bytes);
      continue;
    }
    const { steps, end } = await rowsUpTo(read, name.endsWith(".gz"), step);
    const defect = traceNames.byStep.has(name)
      ? (stepDefect(steps) ?? (steps.length < step ? `step ${steps.length + 1} is lost` : null))
      : null;
    if (expected)
      throw new Error(
        `${name}: ${defect ?? `its rows up to step ${step} differ from those of that step's checkpoint`}`,
      );
    if (isCounted && defect !== null) throw new Error(`${name}: ${defect}`);
    ends.set(name, end);
  }
  return ends;
}

async function isPrefix(read: ReadAt, { bytes, sha256 }: FileDigest): Promise<boolean> {
  const hash = sha256OfPieces();
  let length = 0;
  for await (const piece of piecesBy(read, 0, bytes)) {
    hash.update(piece);
    length += piece.length;
  }
  return length === bytes && hash.digest() === sha256;
}

/** Steps before the first torn or later row, and their end in bytes. */
async function rowsUpTo(
  read: ReadAt,
  areMembers: boolean,
  step: number,
): Promise<{ readonly steps: readonly number[]; readonly end: number }> {
  const steps: number[] = [];
  let end = 0;
  for await (const row of areMembers ? memberSteps(read) : lineSteps(read)) {
    if (row.step === null || row.step > step) break;
    steps.push(row.step);
    end = row.end;
  }
  return { steps, end };
}

interface RowStep {
  /** Step number; null for torn rows and rows without a step. */
  readonly step: number | null;
  readonly end: number;
}

async function* memberSteps(read: ReadAt): AsyncGenerator<RowStep> {
  for await (const { head, from, length } of membersIn(read)) yield { step: head?.step ?? null, end: from + length };
}

async function* lineSteps(read: ReadAt): AsyncGenerator<RowStep> {
  const decoder = new TextDecoder();
  let end = 0;
  for await (const line of linesIn(piecesBy(read), true)) {
    end += (line?.length ?? 0) + 1;
    const row = line && (tryParseJson(decoder.decode(line)) as { readonly step?: unknown } | null | undefined);
    yield { step: typeof row?.step === "number" ? row.step : null, end };
  }
}

export async function cutTraces(fs: FileSystem, directory: string, ends: ReadonlyMap<string, number>): Promise<void> {
  for (const [name, end] of ends) {
    const path = joinPath(directory, name);
    if ((await fs.size(path)) > end) await fs.truncate(path, end);
  }
}
