import { joinPath, type FileSystem, type ModelFiles } from "@laconic/core/files";
import { zipSync } from "fflate";

export type WorkerFiles = FileSystem & ModelFiles;

export const runFolder = "/run";

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

const lockName = /(?:^|\/)LOCK[^/]*$/u;

export async function zipped(files: FileSystem, folder: string, name: string): Promise<Uint8Array> {
  const entries: Record<string, Uint8Array> = {};
  for (const path of await filesBelow(files, folder))
    if (!lockName.test(path)) entries[`${name}/${path.slice(folder.length + 1)}`] = await files.read(path);
  return zipSync(entries, { level: 6 });
}
