import { copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

export type Damage = (file: string, sibling: string) => Promise<void>;

/** Typical damage by disks, editors and incomplete copies. */
export const damages: Readonly<Record<string, Damage>> = {
  removed: (file) => rm(file),
  emptied: (file) => writeFile(file, ""),
  truncated: async (file) => {
    const bytes = await readFile(file);
    await writeFile(file, bytes.subarray(0, bytes.length >> 1));
  },
  "with a bit flipped": async (file) => {
    const bytes = await readFile(file);
    const index = Math.floor(bytes.length * 0.618);
    bytes[index] = (bytes[index] ?? 0) ^ 4;
    await writeFile(file, bytes);
  },
  "with zeros at its end": async (file) => {
    const bytes = await readFile(file);
    await writeFile(file, bytes.fill(0, Math.floor(bytes.length * 0.9)));
  },
  "swapped for its neighbour": (file, sibling) => copyFile(sibling, file),
  "made a folder": async (file) => {
    await rm(file);
    await mkdir(file);
  },
  "made a link to itself": async (file) => {
    await rm(file);
    await symlink(file, file);
  },
};

export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();
}
