import { dividedFiles, runFiles, tracePartsOf, type TracePart } from "@laconic/core/run-folder";
import { DividedFile } from "./divided-file.ts";
import { gunzip } from "#platform";
import type { RunSource } from "./run-source.ts";

/** What a member of a part may hold: one row as long as readers take it, and others before it. */
const maxMemberBytes = 300 << 20;

/** The same folder, whose divided files are read as if each were one. */
export function wholeFiles(source: RunSource): RunSource {
  const files = new Map<string, DividedFile>();
  const fileOf = (name: string): DividedFile => {
    const known = files.get(name) ?? new DividedFile(partFiles, name);
    files.set(name, known);
    return known;
  };
  const partFiles = {
    size: async (name: string): Promise<number | null> => (await source.stat(name))?.size ?? null,
    read: source.bytes.bind(source),
    unpack: (bytes: Uint8Array): Promise<Uint8Array> => gunzip(bytes, maxMemberBytes),
  };
  const stat: RunSource["stat"] = async (name) => {
    const parts = await partsIn(source, name);
    const newest = parts.at(-1);
    if (!newest) {
      files.delete(name);
      return source.stat(name);
    }
    const size = await fileOf(name).look(parts);
    const times = await Promise.all([name, newest.name].map((each) => source.stat(each)));
    // It is another file where rows at its beginning were let go.
    const ino = (parts[0]?.first ?? 0) + 1;
    return size === null ? null : { size, mtimeMs: Math.max(...times.map((found) => found?.mtimeMs ?? 0)), ino };
  };
  return {
    stat,
    ...(source.list && { list: source.list.bind(source) }),
    ...(source.isFolder && { isFolder: source.isFolder.bind(source) }),
    letGo: async (name) => Math.max(0, ((await partsIn(source, name))[0]?.first ?? 0) - 1),
    async bytes(name, from, length) {
      if (!dividedFiles.includes(name)) return source.bytes(name, from, length);
      if (!files.has(name)) await stat(name);
      return files.has(name) ? fileOf(name).read(from, length) : source.bytes(name, from, length);
    },
  };
}

/** The parts of a file, the oldest first. */
export async function partsIn(source: RunSource, name: string): Promise<readonly TracePart[]> {
  return tracePartsOf(name, (await source.list?.(runFiles.parts)) ?? []);
}
