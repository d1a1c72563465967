import * as z from "zod";
import { type StoredWeights, LaconicError, thrownText, type UnknownRecord } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { joinPath, type FileDigest, type FileSystem } from "@laconic/core/files";
import { explainedFileSystem, explainWriteError } from "../reading/explained-file-system.ts";
import { replaceFile } from "./file-system.ts";
import { stateText, type LoopState, loopStateSchema } from "./loop-state.ts";
import { runFiles } from "@laconic/core/run-folder";

/** Policy's task and prompts, stored with its weights. */
export const policyFile = "laconic.json";

export type TraceDigests = Readonly<Record<string, FileDigest>>;

export interface CheckpointFacts {
  readonly run?: string;
  readonly traces?: TraceDigests;
  readonly policy?: UnknownRecord;
}

/**
 * Saves a checkpoint, then `LATEST`, then removes old ones. A kill leaves either the new or the previous checkpoint
 * complete.
 */
export async function saveCheckpoint(
  fs: FileSystem,
  directory: string,
  models: Models,
  state: LoopState,
  keep: number,
  { policy, ...digests }: CheckpointFacts = {},
): Promise<void> {
  const step = checkpointName(state.step);
  await writeWhole(fs, joinPath(directory, step), async (partial) => {
    const saved = await saveModels(fs, directory, partial, models, policy);
    await fs.write(joinPath(partial, "state.json"), stateText(state));
    const files = await digestsOf(fs, partial, [...saved, "state.json"]);
    return { version: 1, step: state.step, ...digests, files };
  });
  await settleCheckpoints(fs, directory, state, keep);
}

/** Writes a folder by a rename. A kill leaves all of it or nothing. */
async function writeWhole(
  fs: FileSystem,
  final: string,
  write: (partial: string) => Promise<CheckpointManifest>,
): Promise<void> {
  const partial = `${final}.partial`;
  await fs.remove(partial);
  await fs.makeDirectory(partial);
  const manifest = await write(partial);
  await fs.write(joinPath(partial, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await fs.syncDirectory(partial);
  await fs.remove(final); // only a resumed run saves a step again
  await fs.rename(partial, final);
}

/** Points `LATEST` at a checkpoint and removes old ones. A resume completes this after a kill. */
export async function settleCheckpoints(
  fs: FileSystem,
  directory: string,
  state: LoopState,
  keep: number,
): Promise<void> {
  const latest = joinPath(directory, "LATEST");
  const named = `${checkpointName(state.step)}\n`;
  if ((await fs.exists(latest)) && (await textOf(fs, latest)) === named) await fs.syncDirectory(directory); // a killed writer may not have synced it
  else await replaceFile(fs, latest, named);
  const old = (await completeSteps(fs, directory)).slice(keep);
  const best = [state.best.step, state.bestTrained?.step ?? 0].map(checkpointName);
  for (const text of old) if (!best.includes(text)) await fs.remove(joinPath(directory, text));
}

/** Writes and syncs all models. @returns the file names */
async function saveModels(
  fs: FileSystem,
  directory: string,
  folder: string,
  models: Models,
  policy?: CheckpointFacts["policy"],
): Promise<string[]> {
  const saved: string[] = [];
  const isAlone = Object.keys(policiesIn(models)).length === 1;
  for (const [name, model] of Object.entries(models)) {
    const location = isAlone && !isCritic(name) ? "" : name; // a single policy's folder opens as a model
    if (location !== "") await fs.makeDirectory(joinPath(folder, location));
    const files = await model.save(joinPath(folder, location)).catch((error: unknown) => {
      throw explainWriteError(error, directory);
    });
    saved.push(...files.map((file) => (location === "" ? file : `${location}/${file}`)));
    if (policy && !isCritic(name)) {
      await fs.write(joinPath(folder, location, policyFile), `${JSON.stringify(policy, null, 2)}\n`);
      saved.push(location === "" ? policyFile : `${location}/${policyFile}`);
    }
    if (location !== "") await fs.syncDirectory(joinPath(folder, location));
  }
  for (const file of saved) await fs.syncFile(joinPath(folder, file));
  return saved;
}

async function digestsOf(
  fs: FileSystem,
  folder: string,
  files: readonly string[],
): Promise<Record<string, FileDigest>> {
  const digests: Record<string, FileDigest> = {};
  for (const file of files) digests[file] = await fs.digest(joinPath(folder, file));
  return digests;
}

/** Saves weights atomically. @param location - subfolder of the run */
export async function saveWeights(
  fs: FileSystem,
  directory: string,
  location: string,
  { models, step }: { readonly models: Models; readonly step: number },
): Promise<void> {
  await writeWhole(fs, joinPath(directory, location), async (partial) => {
    const files = await digestsOf(fs, partial, await saveModels(fs, directory, partial, models));
    return { version: 1, step, files };
  });
}

/** Weights by policy, and estimator weights by policy and `.critic`. */
export type Models = Readonly<Record<string, StoredWeights>>;

/** Loads the models. @param saved - the folder's manifest */
export async function loadWeights(folder: string, saved: SavedFiles, models: Models): Promise<void> {
  for (const [name, model] of Object.entries(models)) await model.load(joinPath(folder, modelPlace(saved, name)));
}

export function policiesIn(models: Models): Models {
  return Object.fromEntries(Object.entries(models).filter(([name]) => !isCritic(name)));
}

function isCritic(name: string): boolean {
  return name.endsWith(".critic");
}

type SavedFiles = Pick<CheckpointManifest, "files">;

/** A model's folder in a checkpoint; the checkpoint itself for a single policy. */
export function modelPlace({ files }: SavedFiles, name: string): string {
  return Object.keys(files).some((file) => file.startsWith(`${name}/`)) ? name : "";
}

export interface CheckpointManifest {
  readonly version: 1;
  readonly step: number;
  readonly run?: string;
  readonly traces?: TraceDigests;
  readonly files: Readonly<Record<string, FileDigest>>;
}

const digestSchema = z.strictObject({ bytes: z.int(), sha256: z.string() });

const manifestSchema: z.ZodType<CheckpointManifest> = z.strictObject({
  version: z.literal(1),
  step: z.int(),
  run: z.string().exactOptional(),
  traces: z.record(z.string(), digestSchema).exactOptional(),
  files: z.record(z.string().regex(/^(?:[\w-]+(?:\.critic)?\/)?[\w.-]+$/), digestSchema),
});

/** A complete checkpoint, with warnings about newer ones. */
export interface FoundCheckpoint {
  readonly folder: string;
  readonly state: LoopState;
  readonly manifest: CheckpointManifest;
  readonly warnings: readonly string[];
}

/** Max retries while the run removes checkpoints. */
const maxLooks = 10;

/**
 * Finds the newest checkpoint that matches its manifest, or the best one. Retries if a running process removes it.
 * @param accept - throws to reject a checkpoint
 * @throws LaconicError `checkpoint_missing`, `checkpoint_corrupt` if all are damaged, or a `checkpoint_mismatch` of
 * `accept`
 */
export async function findCheckpoint(
  fileSystem: FileSystem,
  directory: string,
  which: "latest" | "best" = "latest",
  accept: (candidate: Omit<FoundCheckpoint, "warnings">) => Promise<void> = async () => undefined,
): Promise<FoundCheckpoint> {
  const fs = explainedFileSystem(fileSystem, directory);
  for (let look = 0; look < maxLooks; look++) {
    const foundCheckpoint = await lookForCheckpoint(fs, directory, which, accept);
    if (foundCheckpoint !== null) return foundCheckpoint;
  }
  throw new LaconicError(
    "checkpoint_missing",
    `${directory}: its run removed ${maxLooks} checkpoints before they could be read; keep more of them, or wait for the run to end`,
    { directory },
  );
}

/** @returns null if a listed checkpoint was removed */
async function lookForCheckpoint(
  fs: FileSystem,
  directory: string,
  which: "latest" | "best",
  accept: (candidate: Omit<FoundCheckpoint, "warnings">) => Promise<void>,
): Promise<FoundCheckpoint | null> {
  const steps = await completeSteps(fs, directory);
  if (steps.length === 0)
    throw new LaconicError(
      "checkpoint_missing",
      `${directory} has no checkpoint to resume from; remove the run directory and start it again`,
      { directory },
    );
  const damage: string[] = [];
  for (const name of steps) {
    const warnings = damage.map((text) => `${text}; trying the one before`);
    let folder = joinPath(directory, name);
    try {
      const match = await verify(fs, folder);
      await accept(match);
      const best = checkpointName(match.state.bestTrained?.step ?? match.state.best.step);
      if (which === "latest" || best === name || !steps.includes(best)) return { ...match, warnings };
      folder = joinPath(directory, best);
      return { ...(await verify(fs, folder)), warnings };
    } catch (error) {
      if (LaconicError.is(error) && error.code === "checkpoint_mismatch") throw error;
      if (!(await fs.exists(folder))) return null;
      damage.push(`${folder}: ${thrownText(error)}`);
    }
  }
  throw new LaconicError(
    "checkpoint_corrupt",
    `${directory} has no complete checkpoint that fits the run's files: ${damage.join("; ")}; put the files back, or train in another run directory`,
    { directory },
  );
}

/** @throws Error for a damaged manifest */
export async function readManifest(fs: FileSystem, folder: string): Promise<CheckpointManifest> {
  return manifestSchema.parse(boundedJson(await textOf(fs, joinPath(folder, "manifest.json"))));
}

async function verify(fs: FileSystem, folder: string): Promise<Omit<FoundCheckpoint, "warnings">> {
  const manifest = await checkFiles(fs, folder);
  return { folder, state: await stateIn(fs, folder), manifest };
}

/** @throws Error for a missing or damaged state */
async function stateIn(fs: FileSystem, folder: string): Promise<LoopState> {
  const stored = boundedJson(await textOf(fs, joinPath(folder, "state.json")));
  loopStateSchema.parse(stored);
  return stored as LoopState; // keeps the key order: resumed runs write equal bytes
}

/** Compares files with their manifest's checksums. @throws Error for the first difference */
export async function checkFiles(fs: FileSystem, folder: string): Promise<CheckpointManifest> {
  const manifest = await readManifest(fs, folder);
  for (const [file, expected] of Object.entries(manifest.files)) {
    const fileDigest = await fs.digest(joinPath(folder, file));
    if (fileDigest.bytes !== expected.bytes)
      throw new Error(`${file} has ${fileDigest.bytes} bytes, expected ${expected.bytes}`);
    if (fileDigest.sha256 !== expected.sha256) throw new Error(`${file} does not match its checksum`);
  }
  return manifest;
}

/** Checkpoints, newest first; `.partial` folders are incomplete. */
export async function completeSteps(fs: FileSystem, directory: string): Promise<string[]> {
  if (!(await fs.exists(directory))) return [];
  return (await fs.list(directory))
    .filter((name) => /^step-\d+$/.test(name))
    .toSorted()
    .toReversed();
}

export function checkpointName(step: number): string {
  return `step-${String(step).padStart(8, "0")}`;
}

async function textOf(fs: FileSystem, path: string): Promise<string> {
  return new TextDecoder().decode(await fs.read(path));
}

/** @param name - `step-` and the step */
export async function keepOpponent(fs: FileSystem, run: string, name: string, models: Models): Promise<void> {
  const step = Number(name.slice("step-".length));
  await fs.makeDirectory(joinPath(run, runFiles.opponents));
  await saveWeights(fs, run, joinPath(runFiles.opponents, name), { models: policiesIn(models), step });
}

/** @throws LaconicError `checkpoint_corrupt` naming the folder */
export async function loadOpponent(fs: FileSystem, run: string, name: string, models: Models): Promise<void> {
  const folder = joinPath(run, runFiles.opponents, name);
  const saved = await checkFiles(fs, folder).catch((error: unknown) => {
    throw new LaconicError(
      "checkpoint_corrupt",
      `${folder}: the weights of an opponent are missing or damaged (${(error as Error).message}); put the folder back, or start a new run`,
      { folder },
      error,
    );
  });
  await loadWeights(folder, saved, policiesIn(models));
}

/** Removes opponents that no checkpoint names. */
export async function pruneOpponents(fs: FileSystem, run: string): Promise<void> {
  const [folder, checkpoints] = [joinPath(run, runFiles.opponents), joinPath(run, runFiles.checkpoints)];
  const named = new Set<string>();
  for (const step of await completeSteps(fs, checkpoints)) {
    const { opponents = [] } = await stateIn(fs, joinPath(checkpoints, step));
    for (const { name } of opponents) named.add(name);
  }
  for (const name of await fs.list(folder)) if (!named.has(name)) await fs.remove(joinPath(folder, name));
}
