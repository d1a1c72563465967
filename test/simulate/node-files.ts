import fs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { diskRoot, type DiskNode } from "./disk.ts";
import { hear } from "./secret.ts";
import type { World } from "./world.ts";

type Call = (...given: never[]) => unknown;

export function isSimulated(path: unknown): path is string {
  return typeof path === "string" && `${path}/`.startsWith(`${diskRoot}/`);
}

/** Node's file functions for the simulated disk, limited to those that programs use. */
export function simulatedFiles(world: World): Readonly<Record<string, Call>> {
  const { disk } = world;
  const run = <T>(
    kind: "read" | "write" | "sync" | "rename" | "other",
    label: string,
    apply: () => T,
    tear?: (share: number) => void,
  ): Promise<T> => world.operation({ kind, label: label.replaceAll(`${diskRoot}/`, ""), ...(tear && { tear }) }, apply);
  const put = (path: string, data: Uint8Array | string, flags: { readonly truncate: boolean }): Promise<void> => {
    const bytes = bytesOf(data);
    hear(world, path, bytes);
    const write = (part: Uint8Array): void => {
      const file = disk.open(path, { create: true, ...flags });
      disk.append(file, part);
      file.modified = world.now;
    };
    return run(
      "write",
      `write ${path} ${bytes.length}`,
      () => write(bytes),
      (share) => write(bytes.subarray(0, Math.floor(share * bytes.length))),
    );
  };
  return {
    mkdir: (path: string, options?: { readonly recursive?: boolean }) =>
      run("write", `mkdir ${path}`, () => disk.makeFolder(path, options?.recursive ?? false)),
    readdir: (path: string, options?: { readonly withFileTypes?: boolean }) =>
      run("read", `readdir ${path}`, () => {
        const entries = [...disk.folder(path).entries].toSorted(([a], [b]) => (a < b ? -1 : 1));
        return options?.withFileTypes
          ? entries.map(([name, node]) => entryOf(path, name, node))
          : entries.map(([name]) => name);
      }),
    readFile: (path: string, options?: string | { readonly encoding?: string }) =>
      run("read", `read ${path}`, () => readAs(disk.file(path).bytes, options)),
    writeFile: (path: string, data: Uint8Array | string) => put(path, data, { truncate: true }),
    appendFile: async (path: string, data: Uint8Array | string, options: { readonly flush?: boolean } = {}) => {
      await put(path, data, { truncate: false });
      if (options.flush) await run("sync", `sync ${path}`, () => disk.sync(disk.file(path)));
    },
    rename: (from: string, to: string) => run("rename", `rename ${from} ${to}`, () => disk.rename(from, to)),
    link: (from: string, to: string) => run("write", `link ${from} ${to}`, () => disk.link(from, to)),
    copyFile: (from: string, to: string) =>
      run("write", `copy ${from} ${to}`, () => {
        const { bytes } = disk.file(from);
        disk.append(disk.open(to, { create: true, truncate: true }), bytes);
      }),
    rm: (path: string, options: { readonly recursive?: boolean; readonly force?: boolean } = {}) =>
      run("other", `rm ${path}`, () => {
        if (options.force && !disk.find(path)) return;
        disk.remove(path, options.recursive ?? false);
      }),
    stat: (path: string) => run("read", `stat ${path}`, () => statsOf(found(world, path))),
    lstat: (path: string) => run("read", `stat ${path}`, () => statsOf(found(world, path))),
    realpath: (path: string) => run("read", `realpath ${path}`, () => (found(world, path), resolve(path))),
    truncate: (path: string, length = 0) =>
      run("write", `truncate ${path} ${length}`, () => disk.cut(disk.file(path), length)),
    utimes: (path: string) => run("other", `utimes ${path}`, () => void disk.file(path)),
    open: (path: string, flags = "r") =>
      run(flags === "r" || flags === "r+" ? "read" : "write", `open ${path} ${flags}`, () => {
        const folder = disk.find(path);
        if (folder?.kind === "folder") return handleOf(world, path, folder, run);
        const file = disk.open(path, {
          create: /^[aw]/u.test(flags),
          truncate: flags.startsWith("w"),
          exclusive: flags.includes("x"),
        });
        file.opened += 1;
        return handleOf(world, path, file, run);
      }),
    createReadStream: (path: string) =>
      Readable.from(
        (async function* () {
          yield await run("read", `read ${path}`, () => Buffer.from(disk.file(path).bytes));
        })(),
      ),
    existsSync: (path: string) => disk.find(path) !== null,
  };
}

/** Open file or folder. Writes without a position append, as runs and journals do. */
function handleOf(
  world: World,
  path: string,
  node: DiskNode,
  run: <T>(
    kind: "read" | "write" | "sync",
    label: string,
    apply: () => T,
    tear?: (share: number) => void,
  ) => Promise<T>,
): Partial<FileHandle> {
  const { disk } = world;
  const bytesIn = (): Uint8Array => (node.kind === "file" ? node.bytes : new Uint8Array());
  const put = (data: Uint8Array | string, index: number | null): Promise<number> => {
    const bytes = bytesOf(data);
    hear(world, path, bytes);
    const write = (part: Uint8Array): number => {
      if (node.kind === "file") disk.write(node, index ?? node.bytes.length, part);
      return part.length;
    };
    return run(
      "write",
      `write ${path} ${bytes.length}`,
      () => write(bytes),
      (share) => void write(bytes.subarray(0, Math.floor(share * bytes.length))),
    );
  };
  const sync = (): Promise<void> => run("sync", `sync ${path}`, () => disk.sync(node));
  const close = (): void => {
    if (node.kind === "file") node.opened = Math.max(0, node.opened - 1);
  };
  const letGo = world.hold(`the open file ${path}`, close);
  const handle = {
    write: async (data: Uint8Array | string, offset = 0, length = data.length, position: number | null = null) => ({
      bytesWritten: await put(bytesOf(data).subarray(offset, offset + length), position),
      buffer: data,
    }),
    writeFile: async (data: Uint8Array | string) => void (await put(data, null)),
    appendFile: async (data: Uint8Array | string) => void (await put(data, null)),
    read: (buffer: Uint8Array, offset: number, length: number, position: number) =>
      run("read", `read ${path} ${position} ${length}`, () => {
        const part = bytesIn().subarray(position, position + length);
        buffer.set(part, offset);
        return { bytesRead: part.length, buffer };
      }),
    readFile: (options?: string | { readonly encoding?: string }) =>
      run("read", `read ${path}`, () => readAs(bytesIn(), options)),
    stat: () => run("read", `stat ${path}`, () => statsOf(node)),
    truncate: (length = 0) =>
      run("write", `truncate ${path} ${length}`, () => void (node.kind === "file" && disk.cut(node, length))),
    sync,
    datasync: sync,
    close: async () => {
      letGo();
      close();
    },
  };
  return handle as unknown as Partial<FileHandle>;
}

function found(world: World, path: string): DiskNode {
  return world.disk.find(path) ?? world.disk.file(path);
}

function entryOf(parentPath: string, name: string, node: DiskNode): Partial<fs.Dirent> {
  return {
    name,
    parentPath,
    isFile: () => node.kind === "file",
    isDirectory: () => node.kind === "folder",
    isSymbolicLink: () => false,
  };
}

function statsOf(node: DiskNode): Partial<fs.Stats> {
  const modified = node.kind === "file" ? node.modified : 0;
  return {
    size: node.kind === "file" ? node.bytes.length : 0,
    ino: node.id,
    dev: 1,
    mtimeMs: modified,
    ctimeMs: modified,
    mtime: new Date(modified),
    mode: node.kind === "file" ? 0o100644 : 0o40755,
    isFile: () => node.kind === "file",
    isDirectory: () => node.kind === "folder",
    isSymbolicLink: () => false,
  };
}

function readAs(bytes: Uint8Array, options?: string | { readonly encoding?: string }): Buffer | string {
  const encoding = typeof options === "string" ? options : options?.encoding;
  const own = Buffer.from(bytes);
  return encoding ? own.toString(encoding as BufferEncoding) : own;
}

function bytesOf(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : Uint8Array.from(data);
}
