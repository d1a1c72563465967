import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { makeFolders } from "@laconic/core/platform";
import { LaconicError } from "@laconic/core";
import { manifestOfRun, nodeFileSystem } from "@laconic/trainer";
import { mapReferences, referencesIn } from "./reference.ts";
import { pathFrom, sha256OfFile, sourceFilesOf, type SourceFiles } from "./load-source.ts";

const folder = "sources";

export const sourcePrefix = "source: ";

/** Hashes a configuration's source files. @throws LaconicError `config_invalid` for a missing or unreadable file */
export async function sourcesOf(config: unknown): Promise<SourceFiles> {
  const entries = [...new Set(referencesIn(config).map(({ file }) => file))];
  return Object.assign({}, ...(await Promise.all(entries.map(sourceFilesOf)))) as SourceFiles;
}

/** Manifest entries, relative to the run folder, so that both can move. */
export function sourceInputs(directory: string, sources: SourceFiles): Record<string, string> {
  return Object.fromEntries(
    Object.entries(sources).map(([path, hash]) => [`${sourcePrefix}${pathFrom(directory, path)}`, hash]),
  );
}

/** Makes references relative to the run folder. */
export function inFolder<T>(directory: string, config: T): T {
  return mapReferences(config, (reference) => ({ ...reference, file: pathFrom(directory, reference.file) }));
}

interface PlacedSources {
  readonly locate: <T>(config: T) => T;
  readonly changed: readonly string[];
}

/** Sources after an edit: the run's copies (`own`), or the files now (`current`). */
export type SourceChoice = "own" | "current";

/**
 * Locates the original files, or the run's copies if a file has changed. Copies import packages from the run folder's
 * location.
 * @throws LaconicError `checkpoint_mismatch` for a changed file whose copy is missing or damaged
 */
export async function placedSources(directory: string, choice: SourceChoice = "own"): Promise<PlacedSources> {
  const inputs = (await manifestOfRun(nodeFileSystem, directory))?.inputs ?? {};
  const sources = knownSources(inputs);
  const differing = await differingFrom(sources, (name) => resolve(directory, name));
  const changed = differing.map((name) => resolve(directory, name));
  if (differing.length === 0 || choice === "current")
    return { locate: (config) => fromFolder(directory, config), changed };
  const names = sources.map(([name]) => name);
  const copy = (name: string): string => join(directory, copyOf(name, names));
  if ((await differingFrom(sources, copy)).length > 0) await checkSourceInputs(directory, "run", inputs);
  return {
    locate: (config) => mapReferences(config, (reference) => ({ ...reference, file: copy(reference.file) })),
    changed,
  };
}

export function fromFolder<T>(directory: string, config: T): T {
  return mapReferences(config, (reference) => ({ ...reference, file: resolve(directory, reference.file) }));
}

export async function keepSources(directory: string, sources: SourceFiles): Promise<void> {
  const names = Object.keys(sources).map((path) => pathFrom(directory, path));
  for (const [i, path] of Object.keys(sources).entries()) {
    const copy = join(directory, copyOf(names[i] ?? "", names));
    if (existsSync(copy)) continue;
    await makeFolders(dirname(copy));
    await cp(path, copy);
  }
}

/**
 * Refuses changed sources.
 * @throws LaconicError `checkpoint_mismatch` with the first changed file, both hashes and its copy
 */
export async function checkSources(directory: string): Promise<void> {
  await checkSourceInputs(directory, "run", (await manifestOfRun(nodeFileSystem, directory))?.inputs ?? {});
}

/** Checks only sources among `inputs`. @param noun - kind of folder, for messages */
export async function checkSourceInputs(
  directory: string,
  noun: "run" | "bench",
  inputs: Readonly<Record<string, string>>,
): Promise<void> {
  const sources = knownSources(inputs);
  const names = sources.map(([name]) => name);
  for (const [name, before] of sources) {
    const file = resolve(directory, name);
    const now = await sha256OfFile(file).catch(() => null);
    if (now === before) continue;
    const copy = join(directory, copyOf(name, names));
    const reply =
      now === null
        ? `${file} not found, but the ${noun} in ${directory} needs it`
        : `${file} has changed since the ${noun} in ${directory} started (SHA-256 ${before.slice(0, 12)}... then, ${now.slice(0, 12)}... now)`;
    const remedy = existsSync(copy) ? `; a copy is in ${copy}` : "";
    throw new LaconicError("checkpoint_mismatch", `${reply}; restore it${remedy}`, {
      key: name,
      file,
      before,
      now: now ?? "missing",
      ...(remedy !== "" && { copy }),
    });
  }
}

function knownSources(inputs: Readonly<Record<string, string>>): (readonly [name: string, hash: string])[] {
  return Object.entries(inputs).flatMap(([name, hash]) =>
    name.startsWith(sourcePrefix) ? [[name.slice(sourcePrefix.length), hash] as const] : [],
  );
}

async function differingFrom(
  sources: ReturnType<typeof knownSources>,
  pathOf: (name: string) => string,
): Promise<string[]> {
  const now = await Promise.all(sources.map(([name]) => sha256OfFile(pathOf(name)).catch(() => null)));
  return sources.flatMap(([name, hash], i) => (now[i] === hash ? [] : [name]));
}

/** Path below the deepest common folder. */
function copyOf(name: string, names: readonly string[]): string {
  const folders = names.map((text) => text.split("/").slice(0, -1));
  const [first = []] = folders;
  const end = first.findIndex((part, i) => folders.some((group) => group[i] !== part));
  return join(folder, ...name.split("/").slice(end < 0 ? first.length : end));
}
