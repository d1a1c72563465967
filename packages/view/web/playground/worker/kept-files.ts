import { joinPath, memoryFileSystem, type FileSystem, type ModelFiles } from "@laconic/core/files";

export interface Store {
  load(): Promise<ReadonlyMap<string, Uint8Array>>;
  put(path: string, data: Uint8Array): Promise<void>;
  append(path: string, data: Uint8Array): Promise<void>;
  /** Removes a file or folder. */
  remove(path: string): Promise<void>;
}

/** Persistent folder. */
export const keptFolder = "/kept";

export const runFolder = "/kept/run";

/** In-memory files; one folder is written through to a store. */
export type KeptFiles = FileSystem & ModelFiles;

/** Temporary files and locks, which are not stored. */
const passing = /(?:\.partial|\.tmp)(?:\/|$)|\/LOCK[^/]*$/u;

/**
 * Opens in-memory files. Changes below `folder` are stored before a call returns. If the store fails, `lost` is called
 * once and files stay in memory only.
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
export async function filesBelow(files: FileSystem, path: string): Promise<string[]> {
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
