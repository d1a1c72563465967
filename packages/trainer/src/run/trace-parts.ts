import { joinBytes, joinPath, linesIn, type FileSystem } from "@laconic/core/files";
import {
  dividedFiles,
  gzipMember,
  recordVersion,
  runFiles,
  tracePartName,
  tracePartsOf,
  type ReadAt,
  type TracePart,
} from "@laconic/core/run-folder";
import { DividedFile, type PartFiles } from "../reading/divided-file.ts";
import { gunzip, gzipped } from "#platform";
import type { RetentionSettings } from "../settings/config.ts";
import { piecesOf, rowIn } from "./file-system.ts";

const mebibyte = 1 << 20;

/** What one member of a packed part may hold: a row may be as long as readers of rows take it, and the others of its member. */
const maxMemberBytes = 300 * mebibyte;

/** Files of a run folder, for who reads parts of them. */
function partFilesOf(fs: FileSystem, directory: string): PartFiles {
  const path = (name: string): string => joinPath(directory, name);
  return {
    size: async (name) => ((await fs.exists(path(name))) ? fs.size(path(name)) : null),
    read: async (name, from, length) => ((await fs.exists(path(name))) ? fs.readPart(path(name), from, length) : null),
    unpack: (bytes) => gunzip(bytes, maxMemberBytes),
  };
}

async function listParts(fs: FileSystem, directory: string): Promise<string[]> {
  const folder = joinPath(directory, runFiles.parts);
  return (await fs.exists(folder)) ? fs.list(folder) : [];
}

/** The end of a trace file that a checkpoint may have to be compared with. */
export interface TraceEnd {
  readonly read: ReadAt;
  /** Null where there is nothing. */
  readonly size: number | null;
  /** What precedes it is of steps up to this one, in parts that are as they were or have been let go. */
  readonly after: number;
  /** Parts that it begins with. */
  readonly parts: readonly TracePart[];
}

/** Of a file its parts that a step ends or that come behind it, and what is in no part. */
export async function endOfTrace(fs: FileSystem, directory: string, name: string, step: number): Promise<TraceEnd> {
  const all = tracePartsOf(name, await listParts(fs, directory));
  const parts = all.filter(({ last }) => last >= step);
  const before = all.findLast(({ last }) => last < step)?.last ?? (parts[0]?.first ?? 0) - 1;
  const file = new DividedFile(partFilesOf(fs, directory), name);
  return { size: await file.look(parts), read: file.read, after: Math.max(0, before), parts };
}

/** The checkpoint behind which files are divided. */
export interface DividingPoint {
  readonly step: number;
  /** Rows of later steps stay: a run may go on from a checkpoint of one of them. */
  readonly oldest: number;
}

/**
 * Begins new parts of files that have grown, behind a checkpoint of all their rows, and lets go of parts that are too many. A kill leaves
 * each row in its file or in a part; what it left half done is done here.
 */
export async function divideTraces(
  fs: FileSystem,
  directory: string,
  { step, oldest }: DividingPoint,
  { partMiB, episodesMiB, rowsMiB }: RetentionSettings,
): Promise<void> {
  const path = (name: string): string => joinPath(directory, name);
  const names = await listParts(fs, directory);
  for (const name of names) if (name.endsWith(".tmp")) await fs.remove(path(`${runFiles.parts}/${name}`));
  for (const file of dividedFiles) {
    for (const part of tracePartsOf(file, names)) {
      const plain = tracePartName(file, part.first, part.last, false);
      if (!part.isPacked) await packPart(fs, directory, file, part);
      else if (names.includes(plain.slice(runFiles.parts.length + 1))) await fs.remove(path(plain));
    }
    const first = (tracePartsOf(file, names).at(-1)?.last ?? -1) + 1;
    const size = (await fs.exists(path(file))) ? await fs.size(path(file)) : 0;
    if (step < first || size < partMiB * mebibyte) continue;
    await fs.makeDirectory(path(runFiles.parts));
    const isPacked = file.endsWith(".gz");
    const name = tracePartName(file, first, step, isPacked);
    await fs.rename(path(file), path(name));
    await fs.syncDirectory(directory);
    if (!isPacked) await packPart(fs, directory, file, { name, first, last: step, isPacked });
  }
  for (const file of dividedFiles)
    await letGo(fs, directory, file, file === runFiles.episodes ? episodesMiB : rowsMiB, oldest);
}

async function letGo(
  fs: FileSystem,
  directory: string,
  file: string,
  keptMiB: number | null,
  oldest: number,
): Promise<void> {
  if (keptMiB === null) return;
  let room = keptMiB * mebibyte;
  for (const { name, last } of tracePartsOf(file, await listParts(fs, directory)).toReversed()) {
    room -= await fs.size(joinPath(directory, name));
    if (room < 0 && last < oldest) await fs.remove(joinPath(directory, name));
  }
}

/** Whole rows of about a megabyte become a member of gzip, whose head says the step of the last. */
async function packPart(
  fs: FileSystem,
  directory: string,
  file: string,
  { name, first, last }: TracePart,
): Promise<void> {
  const packed = joinPath(directory, tracePartName(file, first, last, true));
  await fs.write(`${packed}.tmp`, "");
  let held: Uint8Array[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const { step = last } = (rowIn(held.at(-2) ?? null) ?? {}) as { readonly step?: number };
    const head = { step, kind: "step", version: recordVersion, isComplete: true } as const;
    await fs.append(`${packed}.tmp`, gzipMember(await gzipped(joinBytes(held)), head));
    [held, bytes] = [[], 0];
  };
  for await (const line of linesIn(piecesOf(fs, joinPath(directory, name)))) {
    if (line === null) continue;
    held.push(line, lineEnd);
    bytes += line.length + 1;
    if (bytes >= mebibyte) await flush();
  }
  if (bytes > 0) await flush();
  await fs.rename(`${packed}.tmp`, packed);
  await fs.remove(joinPath(directory, name));
}

const lineEnd = Uint8Array.of(10);
