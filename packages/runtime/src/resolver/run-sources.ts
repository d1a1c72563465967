import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { makeFolders } from "@laconic/core/platform";
import { LaconicError } from "@laconic/core";
import { manifestOfRun, nodeFileSystem } from "@laconic/trainer";
import { mapReferences, referencesIn } from "./reference.ts";
import { pathFrom, sha256OfFile, sourceFilesOf, type SourceFiles } from "./load-source.ts";

/** Of the copies that a run keeps. */
const folder = "sources";

/** Before the path in the names of a manifest's inputs. */
const prefix = "source: ";

/**
 * The files that the values of a configuration are made of.
 * @throws LaconicError `config_invalid` for one that is not there or cannot be read
 */
export async function sourcesOf(config: unknown): Promise<SourceFiles> {
  const entries = [...new Set(referencesIn(config).map(({ file }) => file))];
  return Object.assign({}, ...(await Promise.all(entries.map((file) => sourceFilesOf(file))))) as SourceFiles;
}

/** As a run's manifest keeps them: relative to its folder, so that they are found when both have moved. */
export function sourceInputs(directory: string, sources: SourceFiles): Record<string, string> {
  return Object.fromEntries(
    Object.entries(sources).map(([path, hash]) => [`${prefix}${pathFrom(directory, path)}`, hash]),
  );
}

/** A configuration as it lies in a run's folder: references relative to it. */
export function inFolder<T>(directory: string, config: T): T {
  return mapReferences(config, (reference) => ({ ...reference, file: pathFrom(directory, reference.file) }));
}

/** A run's sources, as its values are to be read. */
interface PlacedSources {
  /** The configuration of the run's folder, read again. */
  readonly place: <T>(config: T) => T;
  /** Files that are not what they were. */
  readonly changed: readonly string[];
}

/** Which sources of a run are read where a file was edited since: its own copies of all, or the files as they are now. */
export type SourceChoice = "own" | "current";

/**
 * Where a run's values are read from: the files that it was started with, or, where one is not what it was, the copies of all that
 * the run keeps. Copies import packages from where the run lies.
 * @throws LaconicError `checkpoint_mismatch` for a file that changed where a copy is missing or damaged
 */
export async function placedSources(directory: string, choice: SourceChoice = "own"): Promise<PlacedSources> {
  const inputs = (await manifestOfRun(nodeFileSystem, directory))?.inputs ?? {};
  const known = knownSources(inputs);
  const differing = await differingFrom(known, (name) => resolve(directory, name));
  const changed = differing.map((name) => resolve(directory, name));
  if (differing.length === 0 || choice === "current")
    return { place: (config) => fromFolder(directory, config), changed };
  const names = known.map(([name]) => name);
  const copy = (name: string): string => join(directory, copyOf(name, names));
  if ((await differingFrom(known, copy)).length > 0) await checkSourceInputs(directory, "run", inputs);
  return {
    place: (config) => mapReferences(config, (reference) => ({ ...reference, file: copy(reference.file) })),
    changed,
  };
}

export function fromFolder<T>(directory: string, config: T): T {
  return mapReferences(config, (reference) => ({ ...reference, file: resolve(directory, reference.file) }));
}

/** Copies the sources into the run's folder, as they lie beside each other. */
export async function keepSources(directory: string, sources: SourceFiles): Promise<void> {
  const paths = Object.keys(sources);
  for (const path of paths) {
    const copy = join(directory, copyOf(pathFrom(directory, path), namesOf(directory, paths)));
    if (existsSync(copy)) continue;
    await makeFolders(dirname(copy));
    await cp(path, copy);
  }
}

/**
 * Refuses sources that are not those that a run was started with.
 * @throws LaconicError `checkpoint_mismatch` naming the first, what it was and is, and where a copy lies
 */
export async function checkSources(directory: string): Promise<void> {
  await checkSourceInputs(directory, "run", (await manifestOfRun(nodeFileSystem, directory))?.inputs ?? {});
}

/**
 * The same by what a folder was made with, inputs of other kinds aside.
 * @param noun - of what lies in the folder, for messages
 */
export async function checkSourceInputs(
  directory: string,
  noun: "run" | "bench",
  inputs: Readonly<Record<string, string>>,
): Promise<void> {
  const known = knownSources(inputs);
  const names = known.map(([name]) => name);
  for (const [name, before] of known) {
    const file = resolve(directory, name);
    const now = await sha256OfFile(file).catch(() => null);
    if (now === before) continue;
    const copy = join(directory, copyOf(name, names));
    const said =
      now === null
        ? `${file} is not there, and the ${noun} in ${directory} is made of it`
        : `${file} has changed since the ${noun} in ${directory} started (SHA-256 ${before.slice(0, 12)}... then, ${now.slice(0, 12)}... now)`;
    const remedy = existsSync(copy) ? `; a copy is in ${copy}` : "";
    throw new LaconicError("checkpoint_mismatch", `${said}; bring it back${remedy}`, {
      key: name,
      file,
      before,
      now: now ?? "missing",
      ...(remedy !== "" && { copy }),
    });
  }
}

/** Sources among a manifest's inputs: paths from the folder, and their SHA-256. */
function knownSources(inputs: Readonly<Record<string, string>>): (readonly [name: string, hash: string])[] {
  return Object.entries(inputs).flatMap(([name, hash]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), hash] as const] : [],
  );
}

/** Those of which another file, or none, lies at a place. */
async function differingFrom(
  known: ReturnType<typeof knownSources>,
  placeOf: (name: string) => string,
): Promise<string[]> {
  const now = await Promise.all(known.map(([name]) => sha256OfFile(placeOf(name)).catch(() => null)));
  return known.flatMap(([name, hash], i) => (now[i] === hash ? [] : [name]));
}

export function isSourceInput(name: string): boolean {
  return name.startsWith(prefix);
}

function namesOf(directory: string, paths: readonly string[]): string[] {
  return paths.map((path) => pathFrom(directory, path));
}

/** Below the deepest folder that all share. */
function copyOf(name: string, names: readonly string[]): string {
  const folders = names.map((each) => each.split("/").slice(0, -1));
  const [first = []] = folders;
  const end = first.findIndex((part, i) => folders.some((each) => each[i] !== part));
  return join(folder, ...name.split("/").slice(end < 0 ? first.length : end));
}
