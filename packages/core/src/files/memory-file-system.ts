import type { FileSystem, ModelFiles } from "./file-system.ts";
import { sha256 } from "./sha256.ts";
import { joinBytes } from "./bytes.ts";

/** In-memory file system for browsers and tests. Folders exist once they contain a file. */
export function memoryFileSystem(files: Readonly<Record<string, Uint8Array | string>> = {}): FileSystem & ModelFiles {
  const stored = new Map<string, Uint8Array>();
  const folders = new Set<string>();
  for (const [path, data] of Object.entries(files)) stored.set(normal(path), bytesOf(data));

  const below = (folder: string) => [...stored.keys(), ...folders].filter((path) => path.startsWith(`${folder}/`));
  const read = (path: string): Uint8Array => {
    const data = stored.get(normal(path));
    if (!data) throw Object.assign(new Error(`ENOENT: there is no ${path}`), { code: "ENOENT" });
    return data;
  };
  const exists = async (path: string): Promise<boolean> => {
    const name = normal(path);
    return stored.has(name) || folders.has(name) || below(name).length > 0;
  };

  return {
    exists,
    makeDirectory: async (path) => void folders.add(normal(path)),
    async list(path) {
      const name = normal(path);
      const inside = below(name).map((text) => text.slice(name.length + 1).split("/")[0]!);
      if (inside.length === 0 && !folders.has(name)) read(path);
      return [...new Set(inside)].toSorted();
    },
    read: async (path) => Uint8Array.from(read(path)),
    size: async (path) => read(path).length,
    readPart: async (path, from, length) => read(path).slice(from, from + length),
    digest: async (path) => ({ bytes: read(path).length, sha256: sha256(read(path)) }),
    write: async (path, data) => void stored.set(normal(path), bytesOf(data)),
    append: async (path, data) =>
      void stored.set(normal(path), joinBytes([stored.get(normal(path)) ?? new Uint8Array(), bytesOf(data)])),
    truncate: async (path, bytes) => void stored.set(normal(path), read(path).slice(0, bytes)),
    async rename(from, to) {
      const [old, name] = [normal(from), normal(to)];
      if (!(await exists(from))) read(from);
      const renamed = (path: string) => name + path.slice(old.length);
      for (const path of [old, ...below(old)]) {
        const data = stored.get(path);
        if (data) stored.set(renamed(path), data);
        if (folders.has(path)) folders.add(renamed(path));
        stored.delete(path);
        folders.delete(path);
      }
    },
    syncFile: async (path) => void read(path),
    syncDirectory: async () => undefined,
    async remove(path) {
      for (const text of [normal(path), ...below(normal(path))]) {
        stored.delete(text);
        folders.delete(text);
      }
    },
    async openToRead(path) {
      const data = read(path);
      return {
        bytes: data.length,
        async read(into, position) {
          const part = data.subarray(position, position + into.length);
          into.set(part);
          return part.length;
        },
        close: async () => undefined,
      };
    },
    async openToWrite(path) {
      const pieces: Uint8Array[] = [];
      const keep = async (): Promise<void> => void stored.set(normal(path), joinBytes(pieces));
      await keep();
      return { write: async (bytes) => void pieces.push(Uint8Array.from(bytes)), sync: keep, close: keep };
    },
  };
}

function normal(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return (path.startsWith("/") ? "/" : "") + parts.join("/");
}

function bytesOf(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : Uint8Array.from(data);
}
