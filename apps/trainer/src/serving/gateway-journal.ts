import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { EpisodeReward } from "@laconic/core";
import { episodeSchema } from "@laconic/core/schemas";
import type { FinishedRollout, GatewayEvent } from "@laconic/serve";
import { nodeFileSystem, readLines } from "@laconic/trainer";
import { z } from "zod";

/** In a run directory: what happened to each rollout, the whole of those with a reward. */
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
  readonly past: readonly GatewayEvent[];
  /** Rows that could not be read; a kill tears the last. */
  readonly damaged: number;
  /** In the order of the calls; resolves when the row is in the file. */
  write(event: GatewayEvent): Promise<void>;
}

/** @param resume - otherwise what an earlier start left is removed: its rollouts belong to no weights of this run */
export async function openJournal(directory: string, resume: boolean): Promise<GatewayJournal> {
  const path = join(directory, journalFile);
  if (!resume) await rm(path, { force: true });
  const rows = await readLines(nodeFileSystem, path);
  const read = rows.map((row) => eventSchema.safeParse(row));
  let last: Promise<unknown> = Promise.resolve();
  return {
    past: read.flatMap(({ data }) => data ?? []),
    damaged: read.filter(({ success }) => !success).length,
    write(event) {
      const written = last.then(() => nodeFileSystem.append(path, `${JSON.stringify(event)}\n`));
      last = written.catch(() => undefined); // a full disk refuses one request, not all that come after
      return written;
    },
  };
}
