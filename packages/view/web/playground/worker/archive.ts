import { LaconicError } from "@laconic/core";
import { joinPath, type FileSystem } from "@laconic/core/files";
import { unzipSync, zipSync } from "fflate";
import { filesBelow } from "./kept-files.ts";

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
 * Unzips a run: files by path relative to the folder of `config.json`.
 * @throws LaconicError `input_invalid` for other content, excessive size, or paths that leave the folder
 */
export function unzipped(archive: Uint8Array): ReadonlyMap<string, Uint8Array> {
  let total = 0;
  let entries: Record<string, Uint8Array>;
  try {
    entries = unzipSync(archive, {
      filter: ({ originalSize }) => {
        total += originalSize;
        if (total > maxBytes) throw refusal(`it unpacks to more than ${maxBytes / 1e6} MB`);
        return true;
      },
    });
  } catch (error) {
    if (LaconicError.is(error)) throw error;
    throw refusal("it is no zip, or a damaged one");
  }
  const paths = Object.keys(entries).filter((path) => !path.endsWith("/"));
  const config = paths
    .filter((path) => path === "config.json" || path.endsWith("/config.json"))
    .toSorted((a, b) => a.split("/").length - b.split("/").length)[0];
  if (config === undefined) throw refusal("it holds no config.json, so it is no run folder");
  const start = config.slice(0, -"config.json".length);
  const files = new Map<string, Uint8Array>();
  for (const path of paths) {
    if (!path.startsWith(start)) continue;
    const name = path.slice(start.length);
    if (name.split("/").some((part) => part === "" || part === "." || part === ".."))
      throw refusal(`its path ${JSON.stringify(path)} leads out of the folder`);
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
