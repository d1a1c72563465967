import { createGunzip, gzipSync } from "node:zlib";
import { Readable } from "node:stream";
import type { EpisodeReward, UnknownRecord } from "@laconic/core";
import { episodeSchema } from "@laconic/core/schemas";
import type { FinishedRollout, GatewayEvent } from "@laconic/serve";
import { joinPath, linesIn, type FileSystem } from "@laconic/core/files";
import { explainedFileSystem, lineAppender, nodeFileSystem, rowIn, piecesOf, runFiles } from "@laconic/trainer";
import { z } from "zod";

/** Open part: recent events, with complete rewarded rollouts. */
const journalFile = "gateway.jsonl";

const terms = z.record(z.string(), z.number());
const rewardSchema: z.ZodType<EpisodeReward> = z.strictObject({
  team: terms,
  agents: z.record(z.string(), terms).exactOptional(),
  score: z.number().exactOptional(),
});

const rolloutSchema: z.ZodType<FinishedRollout> = z.strictObject({
  id: z.string(),
  group: z.string(),
  episode: episodeSchema,
  reward: rewardSchema,
  steps: z.tuple([z.int(), z.int()]).readonly(),
  kinds: z.record(z.string(), z.int()),
});

const eventSchema: z.ZodType<GatewayEvent> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("opened"), id: z.string() }),
  z.strictObject({ kind: z.literal("finished"), rollout: rolloutSchema as unknown as z.ZodObject }),
  z.strictObject({ kind: z.literal("validated"), id: z.string(), step: z.int(), score: z.number() }),
  z.strictObject({ kind: z.literal("taken"), step: z.int(), ids: z.array(z.string()) }),
  z.strictObject({
    kind: z.literal("dropped"),
    id: z.string(),
    reason: z.enum(["abandoned", "timeout", "stale", "lost", "lonely"]),
  }),
]) as unknown as z.ZodType<GatewayEvent>;

interface JournalOptions {
  readonly fs?: FileSystem;
  /** Size at which a part is closed and packed. Default 64 MiB. */
  readonly segmentBytes?: number;
  readonly warn: (message: string) => void;
}

/**
 * @param resume - false removes earlier parts, whose rollouts belong to other weights
 * @throws LaconicError `run_unwritable`, `data_invalid`, also when reading and writing
 */
export async function openJournal(
  directory: string,
  resume: boolean,
  { fs: fileSystem = nodeFileSystem, segmentBytes = 64 << 20, warn }: JournalOptions,
): Promise<GatewayJournal> {
  const fs = explainedFileSystem(fileSystem, directory);
  const path = joinPath(directory, journalFile);
  const folder = joinPath(directory, segmentFolder);
  if (!resume) for (const text of [path, folder]) await fs.remove(text);
  await fs.makeDirectory(folder);
  const { segments, stale } = await listSegments(fs, directory);
  for (const name of stale) await fs.remove(joinPath(folder, name));
  const next = 1 + Math.max(0, ...segments.map(({ last }) => last));
  const journal = new GatewayJournal(directory, next, { fs, segmentBytes, warn });
  await journal.start();
  return journal;
}

class GatewayJournal {
  readonly #directory: string;
  readonly #path: string;
  readonly #appendLine: ReturnType<typeof lineAppender>;
  readonly #folder: string;
  readonly #options: Required<JournalOptions>;
  /** Number of the next closed part. */
  #next: number;
  #segments: readonly Segment[] = [];
  #isRead = false;
  #packing: Promise<void> = Promise.resolve();
  #last: Promise<unknown> = Promise.resolve();
  #bytes = 0;
  readonly past: AsyncIterable<GatewayEvent>;

  constructor(directory: string, next: number, options: Required<JournalOptions>) {
    this.#directory = directory;
    this.#path = joinPath(directory, journalFile);
    this.#appendLine = lineAppender(options.fs, this.#path);
    this.#folder = joinPath(directory, segmentFolder);
    this.#next = next;
    this.#options = options;
    this.past = this.#readPast();
  }

  /** Closes an earlier process's part, whose last row may be incomplete. */
  async start(): Promise<void> {
    const { fs } = this.#options;
    await this.#closePart();
    this.#segments = (await listSegments(fs, this.#directory)).segments;
  }

  /** Writes in call order; resolves when the row is in the file. */
  write(event: GatewayEvent): Promise<void> {
    const written = this.#last.then(() => this.#append(event));
    this.#last = written.catch(() => undefined); // a full disk fails only this request
    return written;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#packing;
  }

  async *#readPast(): AsyncGenerator<GatewayEvent> {
    const { fs, warn } = this.#options;
    let damaged = 0;
    for (const { name, isPacked } of this.#segments)
      for await (const line of linesOfSegment(fs, joinPath(this.#folder, name), isPacked)) {
        const { data } = eventSchema.safeParse(rowIn(line));
        if (data) yield data;
        else damaged += 1;
      }
    if (damaged > 0) warn(`${damaged} rows of the gateway's journal are damaged; their rollouts are lost`);
    this.#isRead = true;
    this.#pack();
  }

  async #append(event: GatewayEvent): Promise<void> {
    const { fs, segmentBytes, warn } = this.#options;
    const line = `${JSON.stringify(event)}\n`;
    await this.#appendLine(line);
    // A crash must not lose the file's name, or that of a closed part whose sync failed.
    if (this.#bytes === 0) for (const folder of [this.#folder, this.#directory]) await fs.syncDirectory(folder);
    this.#bytes += Buffer.byteLength(line);
    if (this.#bytes < segmentBytes) return;
    try {
      await this.#closePart();
    } catch (error) {
      warn(`the gateway's journal continues in one file: ${String(error)}`);
      return;
    }
    this.#pack();
  }

  async #closePart(): Promise<void> {
    const { fs } = this.#options;
    const closed = joinPath(this.#folder, segmentName(this.#next));
    this.#next += 1; // never reused: the rename may have succeeded before an error
    this.#bytes = 0;
    if (await fs.exists(this.#path)) await fs.rename(this.#path, closed);
    await fs.syncDirectory(this.#directory);
  }

  #pack(): void {
    if (!this.#isRead) return; // parts must not change while being read
    const { fs, warn } = this.#options;
    this.#packing = this.#packing
      .then(() => packSegments(fs, this.#directory))
      .catch((error: unknown) => warn(`the gateway's journal was not compacted: ${String(error)}`));
  }
}

const segmentFolder = "gateway";

/** A closed part. A packed one replaces all parts in its range. */
interface Segment {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  readonly isPacked: boolean;
}

const pattern = /^(\d{6})(?:-(\d{6}))?\.jsonl(\.gz)?$/u;

const numbered = (n: number): string => String(n).padStart(6, "0");

function segmentName(first: number, last?: number): string {
  return last === undefined ? `${numbered(first)}.jsonl` : `${numbered(first)}-${numbered(last)}.jsonl.gz`;
}

/** Lists valid parts, the oldest first, and stale files of a killed process. */
async function listSegments(
  fs: FileSystem,
  directory: string,
): Promise<{ readonly segments: readonly Segment[]; readonly stale: readonly string[] }> {
  const folder = joinPath(directory, segmentFolder);
  const names = (await fs.exists(folder)) ? await fs.list(folder) : [];
  const matches = names.flatMap((name): Segment[] => {
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
  const segments = matches.filter((segment) => !matches.some((other) => covers(other, segment)));
  return {
    segments: segments.toSorted((a, b) => a.first - b.first),
    stale: names.filter((name) => !segments.some((segment) => segment.name === name)),
  };
}

/** Reads lines lazily. Damage ends a packed file, and yields one null. */
async function* linesOfSegment(fs: FileSystem, path: string, isPacked: boolean): AsyncGenerator<Uint8Array | null> {
  if (!isPacked) {
    yield* linesIn(piecesOf(fs, path));
    return;
  }
  const [packed, unpacked] = [Readable.from(piecesOf(fs, path), { objectMode: false }), createGunzip()];
  packed.on("error", (error) => unpacked.destroy(error)).pipe(unpacked);
  try {
    yield* linesIn(unpacked as AsyncIterable<Uint8Array>);
  } catch (error) {
    // Disk errors are not damage, and must not drop rollouts.
    if (!(error instanceof Error && "code" in error && String(error.code).startsWith("Z_"))) throw error;
    yield null;
  } finally {
    packed.destroy();
    unpacked.destroy();
  }
}

const memberBytes = 4 << 20;

async function writePacked(fs: FileSystem, path: string, lines: AsyncIterable<Uint8Array>): Promise<void> {
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

const maxEnded = 200_000;

/**
 * Packs the closed parts into one. Removes dropped rollouts, and trained ones without a checkpoint between their last
 * reply and their training step.
 */
async function packSegments(fs: FileSystem, directory: string): Promise<void> {
  const { segments } = await listSegments(fs, directory);
  const [oldest, newest] = [segments[0], segments.at(-1)];
  if (!oldest || !newest || segments.every(({ isPacked }) => isPacked)) return;
  const folder = joinPath(directory, segmentFolder);
  const ends = await endsIn(fs, folder, segments);
  const checkpoints = await keptSteps(fs, directory);
  const needed = (rollout: UnknownRecord): boolean => {
    const end = ends.get(rollout["id"]);
    if (!end || end.isDropped) return false; // dropped, or too old to wait
    const { taken } = end;
    if (taken === undefined) return true;
    const [, sampled = 0] = (rollout["steps"] ?? []) as readonly number[];
    // A checkpoint may still be saved before that step ends.
    return taken >= Math.max(0, ...checkpoints) || checkpoints.some((step) => sampled <= step && step <= taken);
  };
  const isKept = (row: UnknownRecord): boolean => {
    if (row["kind"] === "finished") return needed(row["rollout"] as UnknownRecord);
    if (row["kind"] === "opened") return !ends.has(row["id"]);
    const ids = row["kind"] === "taken" ? (row["ids"] as readonly unknown[]) : [row["id"]];
    return ids.some((id) => ends.has(id));
  };
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    for await (const { line, row } of rowsOf(fs, folder, segments)) if (isKept(row)) yield line;
  };
  await writePacked(fs, joinPath(folder, segmentName(oldest.first, newest.last)), lines());
  for (const { name } of segments)
    if (name !== segmentName(oldest.first, newest.last)) await fs.remove(joinPath(folder, name));
}

interface End {
  /** Completed steps when last taken. */
  readonly taken?: number;
  readonly isDropped?: true;
}

/** Ends of the newest rollouts; older ones are never requested. */
async function endsIn(fs: FileSystem, folder: string, segments: readonly Segment[]): Promise<Map<unknown, End>> {
  const ends = new Map<unknown, End>();
  const end = (id: unknown, how: End): void => {
    ends.delete(id);
    ends.set(id, how);
    const [oldest] = ends.keys();
    if (ends.size > maxEnded) ends.delete(oldest);
  };
  for await (const { row } of rowsOf(fs, folder, segments)) {
    if (row["kind"] === "finished") end((row["rollout"] as UnknownRecord)["id"], {});
    if (row["kind"] === "dropped" || row["kind"] === "validated") end(row["id"], { isDropped: true });
    if (row["kind"] === "taken")
      for (const id of row["ids"] as readonly unknown[]) end(id, { taken: row["step"] as number });
  }
  return ends;
}

async function* rowsOf(
  fs: FileSystem,
  folder: string,
  segments: readonly Segment[],
): AsyncGenerator<{ readonly line: Uint8Array; readonly row: UnknownRecord }> {
  for (const { name, isPacked } of segments)
    for await (const line of linesOfSegment(fs, joinPath(folder, name), isPacked)) {
      const row = rowIn(line);
      if (line && row) yield { line, row };
    }
}

async function keptSteps(fs: FileSystem, directory: string): Promise<number[]> {
  const folder = joinPath(directory, runFiles.checkpoints);
  if (!(await fs.exists(folder))) return [];
  return (await fs.list(folder)).flatMap((name) => {
    const [, step] = /^step-(\d+)$/u.exec(name) ?? [];
    return step === undefined ? [] : [Number(step)];
  });
}
