import type { EpisodeReward } from "@laconic/core";
import { episodeSchema } from "@laconic/core/schemas";
import type { FinishedRollout, GatewayEvent } from "@laconic/serve";
import { joinPath, type FileSystem } from "@laconic/core/files";
import { explainedFileSystem, LineFile, nodeFileSystem, rowIn } from "@laconic/trainer";
import { z } from "zod";
import { linesOfSegment, listSegments, segmentFolder, segmentName, type Segment } from "./journal-segments.ts";
import { packSegments } from "./pack-segments.ts";

/** In a run directory: what happened to each rollout lately, the whole of those with a reward. What is older is beside it. */
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

/** How a journal is kept. */
export interface JournalOptions {
  readonly fs?: FileSystem;
  /** Bytes from which on the journal goes on in a new file, and the old one is packed; 64 MiB by default. */
  readonly segmentBytes?: number;
  /** Hears what is wrong and does not end the run. */
  readonly warn: (message: string) => void;
}

/**
 * @param resume - otherwise what an earlier start left is removed: its rollouts belong to no weights of this run
 * @throws LaconicError `run_unwritable`, `data_invalid`: naming what cannot be written or read, as whoever writes to the journal or reads it does
 */
export async function openJournal(
  directory: string,
  resume: boolean,
  { fs: given = nodeFileSystem, segmentBytes = 64 << 20, warn }: JournalOptions,
): Promise<GatewayJournal> {
  const fs = explainedFileSystem(given, directory);
  const path = joinPath(directory, journalFile);
  const folder = joinPath(directory, segmentFolder);
  if (!resume) for (const each of [path, folder]) await fs.remove(each);
  await fs.makeDirectory(folder);
  const { segments, stale } = await listSegments(fs, directory);
  for (const name of stale) await fs.remove(joinPath(folder, name));
  const next = 1 + Math.max(0, ...segments.map(({ last }) => last));
  const journal = new GatewayJournal(directory, next, { fs, segmentBytes, warn });
  await journal.start();
  return journal;
}

/** A run's journal: what its earlier processes wrote, and where this one writes. */
export class GatewayJournal {
  readonly #directory: string;
  readonly #path: string;
  readonly #file: LineFile;
  readonly #folder: string;
  readonly #options: Required<JournalOptions>;
  /** Number of the part that is closed next. */
  #next: number;
  /** Parts of earlier processes. */
  #segments: readonly Segment[] = [];
  #isRead = false;
  #packing: Promise<void> = Promise.resolve();
  #last: Promise<unknown> = Promise.resolve();
  /** In the open part. */
  #bytes = 0;
  /** Read as it is asked for, in memory of one row. */
  readonly past: AsyncIterable<GatewayEvent>;

  constructor(directory: string, next: number, options: Required<JournalOptions>) {
    this.#directory = directory;
    this.#path = joinPath(directory, journalFile);
    this.#file = new LineFile(options.fs, this.#path);
    this.#folder = joinPath(directory, segmentFolder);
    this.#next = next;
    this.#options = options;
    this.past = this.#readPast();
  }

  /** Closes the part that an earlier process left: its last row may be torn. */
  async start(): Promise<void> {
    const { fs } = this.#options;
    await this.#closePart();
    this.#segments = (await listSegments(fs, this.#directory)).segments;
  }

  /** In the order of the calls; resolves when the row is in the file. */
  write(event: GatewayEvent): Promise<void> {
    const written = this.#last.then(() => this.#append(event));
    this.#last = written.catch(() => undefined); // a full disk refuses one request, not all that come after
    return written;
  }

  /** Waits for what is being packed. */
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
    await this.#file.append(line);
    if (this.#bytes === 0) await fs.syncDirectory(this.#directory); // a new file's bytes last, its name does not
    this.#bytes += Buffer.byteLength(line);
    if (this.#bytes < segmentBytes) return;
    try {
      await this.#closePart();
    } catch (error) {
      warn(`the gateway's journal goes on in one file: ${String(error)}`);
      return;
    }
    this.#pack();
  }

  /** The journal goes on in a new file. */
  async #closePart(): Promise<void> {
    const { fs } = this.#options;
    const closed = joinPath(this.#folder, segmentName(this.#next));
    this.#next += 1; // the file may have moved when a disk fails: another must not take its name
    this.#bytes = 0;
    if (await fs.exists(this.#path)) await fs.rename(this.#path, closed);
    await fs.syncDirectory(this.#directory);
  }

  #pack(): void {
    if (!this.#isRead) return; // what is read now must stay
    const { fs, warn } = this.#options;
    this.#packing = this.#packing
      .then(() => packSegments(fs, this.#directory))
      .catch((error: unknown) => warn(`the gateway's journal is not packed: ${String(error)}`));
  }
}
