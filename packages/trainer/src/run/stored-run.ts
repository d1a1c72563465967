import { isRecord, LaconicError, thrownText } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { joinPath, type FileSystem } from "@laconic/core/files";
import { completeSteps, readManifest } from "./checkpoint.ts";
import { explainedFileSystem, replaceFile, lineAt } from "./file-system.ts";
import { runFiles } from "@laconic/core/run-folder";
import { clearedNames } from "../reading/run-files.ts";
import { changesOf, parseRunManifest, runManifest, type Change, type RunManifest } from "../reading/run-manifest.ts";
import { traceEnds } from "./traces.ts";

/** Returns true to resume, false for a new run. @throws LaconicError `run_missing`, `run_exists` */
export async function continues(
  fs: FileSystem,
  directory: string,
  resume: boolean | "where-possible",
): Promise<boolean> {
  const exists = await fs.exists(joinPath(directory, runFiles.config));
  if (resume === true && !exists)
    throw new LaconicError("run_missing", `${directory} holds no run to resume`, { directory });
  if (resume === true || !exists) return exists;
  const hasCheckpoint = (await completeSteps(fs, joinPath(directory, runFiles.checkpoints))).length > 0;
  if (resume === "where-possible") return hasCheckpoint;
  // A run that ended before its first step loses nothing.
  if (hasCheckpoint || (await lineAt(fs, joinPath(directory, runFiles.metrics), "first")) !== null)
    throw new LaconicError("run_exists", `${directory} holds a run already; choose another directory, or resume it`, {
      directory,
    });
  return false;
}

/** Clears a run that ended before its first step. */
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
  {
    config,
    inputs,
    adjustable = {},
  }: {
    readonly config: Readonly<Record<string, unknown>>;
    readonly inputs?: Readonly<Record<string, string>>;
    readonly adjustable?: Readonly<Record<string, string>>;
  },
  warn: (message: string) => Promise<void>,
): Promise<RunManifest> {
  const file = joinPath(directory, runFiles.manifest);
  const configFile = joinPath(directory, runFiles.config);
  const kept = await readSettings(fs, directory);
  const known = await manifestOfRun(fs, directory);
  if (known === null)
    await warn(`${file} is not there: whether weights, tokenizer and data are those of the beginning cannot be told`);
  const manifest = known ?? runManifest(kept, inputs ?? {});
  const refuse = (what: string, { key, before, now }: Change): never => {
    throw new LaconicError(
      "checkpoint_mismatch",
      `${what} ${key} was ${before} when the run started and is ${now}; bring it back, or start a new run`,
      { key, before, now },
    );
  };
  const names = Object.keys(adjustable);
  const settled = ({ key }: Change): boolean => !names.some((name) => key === name || key.startsWith(`${name}.`));
  const [edited] = changesOf(manifest.config.settings, kept).filter(settled);
  if (edited) refuse(`${configFile}: the setting`, edited);
  const [changed] = changesOf(manifest.config.settings, config).filter(settled);
  if (changed) refuse("the setting", changed);
  const [other] = inputs ? changesOf({ files: manifest.inputs }, { files: inputs }) : [];
  if (other) refuse("the input", { ...other, key: other.key.slice("files.".length) });
  return manifest;
}

/**
 * Reads the manifest.
 * @returns null without one
 * @throws LaconicError `checkpoint_mismatch` if damaged, `data_invalid` if unreadable
 */
export async function manifestOfRun(given: FileSystem, directory: string): Promise<RunManifest | null> {
  const fs = explainedFileSystem(given, directory);
  const file = joinPath(directory, runFiles.manifest);
  if (!(await fs.exists(file))) return null;
  return parseRunManifest(new TextDecoder().decode(await fs.read(file)), file);
}

/**
 * Reads the stored settings.
 * @throws LaconicError `run_missing` without any, `checkpoint_mismatch` for invalid content, `data_invalid` if
 * unreadable
 */
export async function readSettings(given: FileSystem, directory: string): Promise<Readonly<Record<string, unknown>>> {
  const fs = explainedFileSystem(given, directory);
  const file = joinPath(directory, runFiles.config);
  if (!(await fs.exists(file)))
    throw new LaconicError("run_missing", `${directory} holds no run (no ${runFiles.config})`, { directory });
  const refused = (what: string, cause?: unknown): LaconicError =>
    new LaconicError("checkpoint_mismatch", `${file} ${what}; put it back`, { file }, cause);
  const bytes = await fs.read(file).catch((error: unknown) => {
    if (LaconicError.is(error)) throw error;
    throw refused(`cannot be read: ${thrownText(error)}`, error);
  });
  let settings: unknown;
  try {
    settings = boundedJson(new TextDecoder().decode(bytes));
  } catch (error) {
    throw refused(`is not JSON any more: ${(error as Error).message}`, error);
  }
  if (isRecord(settings)) return settings;
  throw refused(
    `holds ${settings === null || Array.isArray(settings) ? JSON.stringify(settings) : `a ${typeof settings}`} instead of settings`,
  );
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
