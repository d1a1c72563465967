import { isRecord, LaconicError, thrownText, type UnknownRecord } from "@laconic/core";
import { joinPath, sha256 as sha256Text, type FileSystem } from "@laconic/core/files";
import { boundedJson } from "@laconic/core/json";
import { runFiles } from "@laconic/core/run-folder";
import * as z from "zod";
import { explainedFileSystem } from "./explained-file-system.ts";

/** Initial configuration and inputs of a run. */
export interface RunManifest {
  readonly version: 1;
  /** SHA-256 of the first configuration and the inputs; identifies the run in checkpoints. */
  readonly run: string;
  readonly config: { readonly sha256: string; readonly settings: UnknownRecord };
  /** SHA-256 by name: base weights, tokenizers, data. */
  readonly inputs: Readonly<Record<string, string>>;
}

const manifestSchema: z.ZodType<RunManifest> = z.strictObject({
  version: z.literal(1),
  run: z.string(),
  config: z.strictObject({ sha256: z.string(), settings: z.record(z.string(), z.unknown()) }),
  inputs: z.record(z.string(), z.string()),
});

export function runManifest(config: UnknownRecord, inputs: Readonly<Record<string, string>>): RunManifest {
  const settings = plain(config) as UnknownRecord;
  const sha256 = sha256Of(settings);
  return { version: 1, run: sha256Of({ config: sha256, inputs }), config: { sha256, settings }, inputs };
}

/** @throws LaconicError `checkpoint_mismatch` for a damaged or inconsistent manifest */
export function parseRunManifest(text: string, path: string): RunManifest {
  let match: RunManifest | undefined;
  try {
    match = manifestSchema.parse(boundedJson(text));
  } catch {
    // reported below
  }
  if (match && sha256Of(match.config.settings) === match.config.sha256) return match;
  throw new LaconicError(
    "checkpoint_mismatch",
    `${path} was changed or is damaged; put the file back, or start a new run`,
    { file: path },
  );
}

/**
 * Reads the manifest.
 * @returns null without one
 * @throws LaconicError `checkpoint_mismatch` if damaged, `data_invalid` if unreadable
 */
export async function manifestOfRun(fileSystem: FileSystem, directory: string): Promise<RunManifest | null> {
  const fs = explainedFileSystem(fileSystem, directory);
  const file = joinPath(directory, runFiles.manifest);
  if (!(await fs.exists(file))) return null;
  return parseRunManifest(new TextDecoder().decode(await fs.read(file)), file);
}

/** Error of a folder without a run. */
export function runMissing(directory: string): LaconicError {
  return new LaconicError("run_missing", `${directory} has no run (no ${runFiles.config}); name a run folder`, {
    directory,
  });
}

/**
 * Reads the stored settings.
 * @throws LaconicError `run_missing` without any, `checkpoint_mismatch` for invalid content, `data_invalid` if
 * unreadable
 */
export async function readSettings(fileSystem: FileSystem, directory: string): Promise<UnknownRecord> {
  const fs = explainedFileSystem(fileSystem, directory);
  const file = joinPath(directory, runFiles.config);
  if (!(await fs.exists(file))) throw runMissing(directory);
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
    throw refused(`is no longer valid JSON: ${(error as Error).message}`, error);
  }
  if (isRecord(settings)) return settings;
  throw refused(
    `holds ${settings === null || Array.isArray(settings) ? JSON.stringify(settings) : `a ${typeof settings}`} instead of settings`,
  );
}

/** Difference between two values of a setting. */
export interface Change {
  readonly key: string;
  /** JSON or a hash; `nothing` if it did not exist. */
  readonly before: string;
  readonly now: string;
}

/** Differing settings, ignoring key order. */
export function changesOf(before: unknown, now: unknown, path = ""): Change[] {
  const [old, current] = [plain(before), plain(now)];
  if (typeof old !== "object" || typeof current !== "object" || old === null || current === null)
    return Object.is(old, current) ? [] : [{ key: path, before: shown(old), now: shown(current) }];
  if (Array.isArray(old) !== Array.isArray(current)) return [{ key: path, before: shown(old), now: shown(current) }];
  return [...new Set([...Object.keys(old), ...Object.keys(current)])].flatMap((key) =>
    changesOf((old as UnknownRecord)[key], (current as UnknownRecord)[key], path === "" ? key : `${path}.${key}`),
  );
}

/** SHA-256 in hexadecimal, ignoring key order. */
export function sha256Of(value: unknown): string {
  return sha256Text(JSON.stringify(sorted(plain(value))));
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sorted((value as UnknownRecord)[key])]),
  );
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
