import { createGunzip, gzipSync } from "node:zlib";
import { Readable } from "node:stream";
import { joinPath, linesIn, type FileSystem } from "@laconic/core/files";
import { piecesOf } from "@laconic/trainer";

/** In a run directory: closed parts of the journal, in the order of their numbers. */
export const segmentFolder = "gateway";

/** A closed part. A compacted one stands for all that its range covers. */
export interface Segment {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  readonly isPacked: boolean;
}

const pattern = /^(\d{6})(?:-(\d{6}))?\.jsonl(\.gz)?$/u;

const numbered = (n: number): string => String(n).padStart(6, "0");

/** Name of a part that is not packed yet, or of a packed one that covers a range. */
export function segmentName(first: number, last?: number): string {
  return last === undefined ? `${numbered(first)}.jsonl` : `${numbered(first)}-${numbered(last)}.jsonl.gz`;
}

/** What is there: parts that count, the oldest first, and what a kill left beside them. */
export async function listSegments(
  fs: FileSystem,
  directory: string,
): Promise<{ readonly segments: readonly Segment[]; readonly stale: readonly string[] }> {
  const folder = joinPath(directory, segmentFolder);
  const names = (await fs.exists(folder)) ? await fs.list(folder) : [];
  const found = names.flatMap((name): Segment[] => {
    const [, first, last = first, packed] = pattern.exec(name) ?? [];
    return first === undefined
      ? []
      : [{ name, first: Number(first), last: Number(last), isPacked: packed !== undefined }];
  });
  const covers = (a: Segment, b: Segment): boolean =>
    a !== b &&
    a.isPacked &&
    a.first <= b.first &&
    a.last >= b.last &&
    (!b.isPacked || a.last - a.first > b.last - b.first);
  const segments = found.filter((each) => !found.some((other) => covers(other, each)));
  return {
    segments: segments.toSorted((a, b) => a.first - b.first),
    stale: names.filter((name) => !segments.some((each) => each.name === name)),
  };
}

/** Lines of a file, packed or not, in memory of one line; what is damaged ends a packed one, and counts as one line of null. */
export async function* linesOfSegment(
  fs: FileSystem,
  path: string,
  isPacked: boolean,
): AsyncGenerator<Uint8Array | null> {
  if (!isPacked) {
    yield* linesIn(piecesOf(fs, path));
    return;
  }
  const [packed, unpacked] = [Readable.from(piecesOf(fs, path), { objectMode: false }), createGunzip()];
  packed.on("error", (error) => unpacked.destroy(error)).pipe(unpacked);
  try {
    yield* linesIn(unpacked as AsyncIterable<Uint8Array>);
  } catch (error) {
    // A disk that fails is no damage: nothing may be let go of because of it.
    if (!(error instanceof Error && "code" in error && String(error.code).startsWith("Z_"))) throw error;
    yield null;
  } finally {
    packed.destroy();
    unpacked.destroy();
  }
}

/** Bytes of lines that become one member of a packed file. */
const memberBytes = 4 << 20;

/** Writes lines as members of gzip, which `zcat` reads as one text, and then gives the file its name. */
export async function writePacked(fs: FileSystem, path: string, lines: AsyncIterable<Uint8Array>): Promise<void> {
  const partial = `${path}.partial`;
  await fs.write(partial, "");
  let held: Uint8Array[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (bytes > 0) await fs.append(partial, gzipSync(Buffer.concat(held)));
    [held, bytes] = [[], 0];
  };
  for await (const line of lines) {
    held.push(line, lineEnd);
    bytes += line.length + 1;
    if (bytes >= memberBytes) await flush();
  }
  await flush();
  await fs.rename(partial, path);
}

const lineEnd = Uint8Array.of(10);
