import type { EpisodeReward } from "@laconic/core";
import { episodeSchema } from "@laconic/core/schemas";
import type { FinishedRollout, GatewayEvent } from "@laconic/serve";
import { joinPath, type FileSystem } from "@laconic/core/files";
import { nodeFileSystem, rowIn } from "@laconic/trainer";
import { z } from "zod";
import { linesOfSegment, listSegments, segmentFolder, segmentName } from "./journal-segments.ts";
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
  z.strictObject({ kind: z.literal("taken"), step: z.int(), ids: z.array(z.string()) }),
  z.strictObject({
    kind: z.literal("dropped"),
    id: z.string(),
    reason: z.enum(["abandoned", "timeout", "stale", "lost", "lonely"]),
  }),
]) as unknown as z.ZodType<GatewayEvent>;

/** A run's journal: what its earlier processes wrote, and where this one writes. */
export interface GatewayJournal {
  /** Read as it is asked for, in memory of one row. */
  readonly past: AsyncIterable<GatewayEvent>;
  /** In the order of the calls; resolves when the row is in the file. */
  write(event: GatewayEvent): Promise<void>;
  /** Waits for what is being packed. */
  close(): Promise<void>;
}

/** How a journal is kept. */
export interface JournalOptions {
  readonly fs?: FileSystem;
  /** Bytes from which on the journal goes on in a new file, and the old one is packed; 64 MiB by default. */
  readonly segmentBytes?: number;
  /** Hears what is wrong and does not end the run. */
  readonly warn: (message: string) => void;
}

/** @param resume - otherwise what an earlier start left is removed: its rollouts belong to no weights of this run */
export async function openJournal(
  directory: string,
  resume: boolean,
  { fs = nodeFileSystem, segmentBytes = 64 << 20, warn }: JournalOptions,
): Promise<GatewayJournal> {
  const [path, folder] = [joinPath(directory, journalFile), joinPath(directory, segmentFolder)];
  if (!resume) for (const each of [path, folder]) await fs.remove(each);
  await fs.makeDirectory(folder);
  const { segments: kept, stale } = await listSegments(fs, directory);
  for (const name of stale) await fs.remove(joinPath(folder, name));
  let next = 1 + Math.max(0, ...kept.map(({ last }) => last));
  /** The journal goes on in a new file. */
  const close = async (): Promise<void> => {
    await fs.rename(path, joinPath(folder, segmentName(next)));
    await fs.syncDirectory(directory);
    next += 1;
  };
  // Its last row may be torn, and nothing is written behind that.
  if (await fs.exists(path)) await close();
  const { segments } = await listSegments(fs, directory);

  let packing: Promise<void> = Promise.resolve();
  let isRead = false;
  const pack = (): void => {
    if (!isRead) return; // what is read now must stay
    packing = packing
      .then(() => packSegments(fs, directory))
      .catch((error: unknown) => warn(`the gateway's journal is not packed: ${String(error)}`));
  };
  const past = async function* (): AsyncGenerator<GatewayEvent> {
    let damaged = 0;
    for (const { name, isPacked } of segments)
      for await (const line of linesOfSegment(fs, joinPath(folder, name), isPacked)) {
        const { data } = eventSchema.safeParse(rowIn(line));
        if (data) yield data;
        else damaged += 1;
      }
    if (damaged > 0) warn(`${damaged} rows of the gateway's journal are damaged; their rollouts are lost`);
    isRead = true;
    pack();
  };
  let last: Promise<unknown> = Promise.resolve();
  let bytes = 0;
  const append = async (event: GatewayEvent): Promise<void> => {
    const line = `${JSON.stringify(event)}\n`;
    await fs.append(path, line);
    bytes += line.length;
    if (bytes < segmentBytes) return;
    bytes = 0;
    await close().then(pack, (error: unknown) => warn(`the gateway's journal goes on in one file: ${String(error)}`));
  };
  return {
    past: past(),
    write(event) {
      const written = last.then(() => append(event));
      last = written.catch(() => undefined); // a full disk refuses one request, not all that come after
      return written;
    },
    async close() {
      await last;
      await packing;
    },
  };
}
