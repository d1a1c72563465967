import type { Store } from "./kept-files.ts";

/** Exclusive to this worker. */
interface SyncFile {
  getSize(): number;
  read(into: Uint8Array, options: { readonly at: number }): number;
  write(data: Uint8Array, options: { readonly at: number }): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}

type Opening = FileSystemFileHandle & { createSyncAccessHandle(): Promise<SyncFile> };
type Listing = FileSystemDirectoryHandle & { entries(): AsyncIterable<[string, FileSystemHandle]> };

/** Folder in the private file system, for one worker at a time. @throws DOMException if the browser refuses */
export async function opfsStore(name: string): Promise<Store> {
  const root = await (await navigator.storage.getDirectory()).getDirectoryHandle(name, { create: true });
  const folderOf = async (path: string, create: boolean): Promise<[FileSystemDirectoryHandle, string]> => {
    const parts = path.split("/");
    let folder = root;
    for (const part of parts.slice(0, -1)) folder = await folder.getDirectoryHandle(part, { create });
    return [folder, parts.at(-1) as string];
  };
  const opened = async <T>(path: string, use: (file: SyncFile) => T): Promise<T> => {
    const [folder, last] = await folderOf(path, true);
    const file = await ((await folder.getFileHandle(last, { create: true })) as Opening).createSyncAccessHandle();
    try {
      return use(file);
    } finally {
      file.close();
    }
  };
  return {
    async load() {
      const files = new Map<string, Uint8Array>();
      for (const path of await pathsIn(root)) {
        const data = await opened(path, (file) => {
          const bytes = new Uint8Array(file.getSize());
          file.read(bytes, { at: 0 });
          return bytes;
        });
        files.set(path, data);
      }
      return files;
    },
    put: (path, data) => opened(path, (file) => replace(file, data)),
    append: (path, data) =>
      opened(path, (file) => {
        const before = file.getSize();
        try {
          written(file, data, before);
        } catch (error) {
          file.truncate(before); // remove the partial line
          throw error;
        }
      }),
    async remove(path) {
      try {
        const [folder, last] = await folderOf(path, false);
        await folder.removeEntry(last, { recursive: true });
      } catch (error) {
        if (!(error instanceof DOMException && error.name === "NotFoundError")) throw error;
      }
    },
  };
}

/** Keeps the old content if the new one does not fit. */
function replace(file: SyncFile, data: Uint8Array): void {
  const before = new Uint8Array(file.getSize());
  file.read(before, { at: 0 });
  try {
    written(file, data, 0);
    file.truncate(data.length);
  } catch (error) {
    written(file, before, 0);
    file.truncate(before.length);
    throw error;
  }
}

/** @throws DOMException `QuotaExceededError`, or Error for an incomplete write */
function written(file: SyncFile, data: Uint8Array, at: number): void {
  const count = file.write(data, { at });
  if (count < data.length) throw new Error(`the browser kept ${count} of ${data.length} bytes`);
  file.flush();
}

async function pathsIn(folder: FileSystemDirectoryHandle, before = ""): Promise<string[]> {
  const paths: string[] = [];
  for await (const [name, handle] of (folder as Listing).entries())
    if (handle.kind === "directory") paths.push(...(await pathsIn(handle, `${before}${name}/`)));
    else paths.push(`${before}${name}`);
  return paths;
}
