import { LaconicError } from "@laconic/core";
import { joinPath, memoryFileSystem, type FileSystem, type ModelFiles } from "@laconic/core/files";
import { unzipSync, zipSync } from "fflate";

export interface Store {
  load(): Promise<ReadonlyMap<string, Uint8Array>>;
  put(path: string, data: Uint8Array): Promise<void>;
  append(path: string, data: Uint8Array): Promise<void>;
  remove(path: string): Promise<void>;
}

/** Persistent folder. */
export const keptFolder = "/kept";

export const runFolder = "/kept/run";

/** One in-memory folder is written through to a store. */
export type KeptFiles = FileSystem & ModelFiles;

/** Temporary files and locks, which are not stored. */
const passing = /(?:\.partial|\.tmp)(?:\/|$)|\/LOCK[^/]*$/u;

/**
 * Changes below `folder` are stored before a call returns. If the store fails, `lost` is called once and files stay in
 * memory.
 */
export async function keptFiles(folder: string, store: Store | null, lost: (error: Error) => void): Promise<KeptFiles> {
  let kept = store;
  const guarded = async (use: (store: Store) => Promise<void>): Promise<void> => {
    if (!kept) return;
    try {
      await use(kept);
    } catch (error) {
      kept = null;
      lost(error as Error);
    }
  };
  const found = new Map<string, Uint8Array>();
  await guarded(async (each) => {
    for (const [path, data] of await each.load()) found.set(joinPath(folder, path), data);
  });
  const memory = memoryFileSystem(Object.fromEntries(found));
  const through = (path: string, use: (store: Store, name: string) => Promise<void>): Promise<void> => {
    if (!path.startsWith(`${folder}/`) || passing.test(path)) return Promise.resolve();
    return guarded((each) => use(each, path.slice(folder.length + 1)));
  };
  return {
    ...memory,
    async write(path, data) {
      await memory.write(path, data);
      await through(path, async (each, name) => each.put(name, await memory.read(path)));
    },
    async append(path, data) {
      await memory.append(path, data);
      await through(path, (each, name) =>
        each.append(name, typeof data === "string" ? new TextEncoder().encode(data) : data),
      );
    },
    async rename(from, to) {
      await memory.rename(from, to);
      // Manifests are written last: a folder with a manifest is complete.
      const rank = (path: string): number => (path.endsWith("/manifest.json") ? 1 : 0);
      const moved = (await filesBelow(memory, to)).toSorted((a, b) => rank(a) - rank(b));
      for (const path of moved) await through(path, async (each, name) => each.put(name, await memory.read(path)));
      await through(from, (each, name) => each.remove(name));
    },
    async remove(path) {
      await memory.remove(path);
      await through(path, (each, name) => each.remove(name));
    },
  };
}

/** Sorted. */
async function filesBelow(files: FileSystem, path: string): Promise<string[]> {
  const isFile = await files.read(path).then(
    () => true,
    () => false,
  );
  if (isFile) return [path];
  if (!(await files.exists(path))) return [];
  const below: string[] = [];
  for (const name of await files.list(path)) below.push(...(await filesBelow(files, joinPath(path, name))));
  return below;
}

/** Limit for phones; runs of this page have about 40 kB per step. */
const maxBytes = 256e6;

const lockName = /(?:^|\/)LOCK[^/]*$/u;

/** Zips a folder under the name `name`. */
export async function zipped(files: FileSystem, folder: string, name: string): Promise<Uint8Array> {
  const entries: Record<string, Uint8Array> = {};
  for (const path of await filesBelow(files, folder))
    if (!lockName.test(path)) entries[`${name}/${path.slice(folder.length + 1)}`] = await files.read(path);
  return zipSync(entries, { level: 6 });
}

/**
 * Files by path relative to the folder of `config.json`.
 * @throws LaconicError `input_invalid` for other content, excessive size, or paths that leave the folder
 */
export function unzipped(archive: Uint8Array): ReadonlyMap<string, Uint8Array> {
  let total = 0;
  let entries: Record<string, Uint8Array>;
  try {
    entries = unzipSync(archive, {
      filter: ({ originalSize }) => {
        total += originalSize;
        if (total > maxBytes) throw refusal(`its unpacked size exceeds ${maxBytes / 1e6} MB`);
        return true;
      },
    });
  } catch (error) {
    if (LaconicError.is(error)) throw error;
    throw refusal("it is not a zip file, or is damaged");
  }
  const paths = Object.keys(entries).filter((path) => !path.endsWith("/"));
  const config = paths
    .filter((path) => path === "config.json" || path.endsWith("/config.json"))
    .toSorted((a, b) => a.split("/").length - b.split("/").length)[0];
  if (config === undefined) throw refusal("config.json not found");
  const start = config.slice(0, -"config.json".length);
  const files = new Map<string, Uint8Array>();
  for (const path of paths) {
    if (!path.startsWith(start)) continue;
    const name = path.slice(start.length);
    if (name.split("/").some((part) => part === "" || part === "." || part === ".."))
      throw refusal(`its path ${JSON.stringify(path)} leaves the folder`);
    files.set(name, entries[path] as Uint8Array);
  }
  return files;
}

export async function replaceFolder(
  files: FileSystem,
  folder: string,
  content: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  await files.remove(folder);
  for (const [path, data] of content) await files.write(joinPath(folder, path), data);
}

function refusal(reason: string): LaconicError {
  return new LaconicError("input_invalid", `this archive cannot be opened: ${reason}`);
}
