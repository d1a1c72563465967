import type { StoredWeights } from "@laconic/core";
import { joinPath, type FileDigest, type FileSystem } from "@laconic/core/files";
import { explainWriteError, replaceFile } from "./file-system.ts";
import { checkpointName, completeSteps, textOf, type CheckpointManifest } from "./find-checkpoint.ts";
import { stateText, type LoopState } from "./loop-state.ts";
import type { TraceDigests } from "./traces.ts";

/** Written beside each policy's weights: what a policy knows of itself. */
export const policyFile = "laconic.json";

/** What a checkpoint holds beside weights and loop state. */
export interface CheckpointFacts {
  readonly run?: string;
  readonly traces?: TraceDigests;
  /** Goes into {@link policyFile} of each policy. */
  readonly policy?: Readonly<Record<string, unknown>>;
}

/**
 * Saves a checkpoint so that a kill at any moment leaves either the whole of it or the one before: files into
 * `step-N.partial`, the manifest with sizes and hashes last, then one rename, then `LATEST`, then old steps go.
 */
export async function saveCheckpoint(
  fs: FileSystem,
  directory: string,
  models: Models,
  state: LoopState,
  keep: number,
  { policy, ...facts }: CheckpointFacts = {},
): Promise<void> {
  const step = checkpointName(state.step);
  const [partial, final] = [joinPath(directory, `${step}.partial`), joinPath(directory, step)];
  await fs.remove(partial);
  await fs.makeDirectory(partial);
  const saved = await saveModels(fs, directory, partial, models, policy);
  await fs.write(joinPath(partial, "state.json"), stateText(state));
  const manifest: CheckpointManifest = { version: 1, step: state.step, ...facts, files: {} };
  Object.assign(manifest.files, await digestsOf(fs, partial, [...saved, "state.json"]));
  await fs.write(joinPath(partial, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await fs.syncDirectory(partial);
  await fs.remove(final); // only a resumed run saves a step again
  await fs.rename(partial, final);
  await settleCheckpoints(fs, directory, state, keep);
}

/** `LATEST` names the checkpoint of a state, and old ones go. Who goes on from a checkpoint does what a kill behind its rename left undone. */
export async function settleCheckpoints(
  fs: FileSystem,
  directory: string,
  state: LoopState,
  keep: number,
): Promise<void> {
  const latest = joinPath(directory, "LATEST");
  const named = `${checkpointName(state.step)}\n`;
  if ((await fs.exists(latest)) && (await textOf(fs, latest)) === named) await fs.syncDirectory(directory); // whoever wrote it may have been killed before its name was durable
  else await replaceFile(fs, latest, named);
  const old = (await completeSteps(fs, directory)).slice(keep);
  const best = [state.best.step, state.bestTrained?.step ?? 0].map((each) => checkpointName(each));
  for (const each of old) if (!best.includes(each)) await fs.remove(joinPath(directory, each));
}

/** Writes and syncs every model into its place. @returns the file names */
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
    const place = isAlone && !isCritic(name) ? "" : name; // a single policy's folder opens as a model
    if (place !== "") await fs.makeDirectory(joinPath(folder, place));
    const files = await model.save(joinPath(folder, place)).catch((error: unknown) => {
      throw explainWriteError(error, directory);
    });
    saved.push(...files.map((file) => (place === "" ? file : `${place}/${file}`)));
    if (policy && !isCritic(name)) {
      await fs.write(joinPath(folder, place, policyFile), `${JSON.stringify(policy, null, 2)}\n`);
      saved.push(place === "" ? policyFile : `${place}/${policyFile}`);
    }
    if (place !== "") await fs.syncDirectory(joinPath(folder, place));
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

/**
 * Saves weights whole or not at all, with their checksums.
 * @param place - below the run's folder: of those that it begins with, or of an opponent
 */
export async function saveWeights(
  fs: FileSystem,
  directory: string,
  place: string,
  { models, step }: { readonly models: Models; readonly step: number },
): Promise<void> {
  const final = joinPath(directory, place);
  const partial = `${final}.partial`;
  await fs.remove(partial);
  await fs.makeDirectory(partial);
  const files = await digestsOf(fs, partial, await saveModels(fs, directory, partial, models));
  await fs.write(joinPath(partial, "manifest.json"), `${JSON.stringify({ version: 1, step, files }, null, 2)}\n`);
  await fs.syncDirectory(partial);
  await fs.remove(final);
  await fs.rename(partial, final);
}

/** Weights by policy, and by {@link criticOf} those that its estimator learns. */
export type Models = Readonly<Record<string, StoredWeights>>;

/** Names what the estimator of a policy learns; no policy has a dot in its name. */
export function criticOf(policy: string): string {
  return `${policy}.critic`;
}

/** Loads into each model what `saveWeights` or a checkpoint kept of it. @param saved - the folder's manifest */
export async function loadWeights(folder: string, saved: SavedFiles, models: Models): Promise<void> {
  for (const [name, model] of Object.entries(models)) await model.load(joinPath(folder, modelPlace(saved, name)));
}

/** The policies' own. */
export function policiesIn(models: Models): Models {
  return Object.fromEntries(Object.entries(models).filter(([name]) => !isCritic(name)));
}

function isCritic(name: string): boolean {
  return name.endsWith(".critic");
}

/** The files that a manifest names. */
type SavedFiles = Pick<CheckpointManifest, "files">;

/** Folder of a model in a checkpoint: its own, or the checkpoint itself where a single policy's files lie. */
export function modelPlace({ files }: SavedFiles, name: string): string {
  return Object.keys(files).some((file) => file.startsWith(`${name}/`)) ? name : "";
}
