import type { UnknownRecord } from "@laconic/core";
import { joinPath, type FileSystem } from "@laconic/core/files";
import { rowIn, runFiles } from "@laconic/trainer";
import {
  linesOfSegment,
  listSegments,
  segmentFolder,
  segmentName,
  writePacked,
  type Segment,
} from "./journal-segments.ts";

/** Ids that are remembered after their end. */
const maxEnded = 200_000;

/**
 * Packs the closed parts of a journal into one, without the rollouts that no resume can need: those that were dropped, and those
 * that were trained, unless a checkpoint lies between their last reply and the step that took them.
 */
export async function packSegments(fs: FileSystem, directory: string): Promise<void> {
  const { segments } = await listSegments(fs, directory);
  const [oldest, newest] = [segments[0], segments.at(-1)];
  if (!oldest || !newest || segments.every(({ isPacked }) => isPacked)) return;
  const folder = joinPath(directory, segmentFolder);
  const ends = await endsIn(fs, folder, segments);
  const checkpoints = await keptSteps(fs, directory);
  const needed = (rollout: UnknownRecord): boolean => {
    const end = ends.get(rollout["id"]);
    if (!end || end.isDropped) return false; // so many others have ended since that it does not wait any more
    const { taken } = end;
    if (taken === undefined) return true;
    const [, sampled = 0] = (rollout["steps"] ?? []) as readonly number[];
    // The newest checkpoint may not be the last that is saved before that step is over.
    return taken >= Math.max(0, ...checkpoints) || checkpoints.some((step) => sampled <= step && step <= taken);
  };
  const isKept = (row: UnknownRecord): boolean => {
    if (row["kind"] === "finished") return needed(row["rollout"] as UnknownRecord);
    if (row["kind"] === "opened") return !ends.has(row["id"]);
    const ids = row["kind"] === "taken" ? (row["ids"] as readonly unknown[]) : [row["id"]];
    return ids.some((id) => ends.has(id));
  };
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    for (const { name, isPacked } of segments)
      for await (const line of linesOfSegment(fs, joinPath(folder, name), isPacked)) {
        const row = rowIn(line);
        if (line && row && isKept(row)) yield line;
      }
  };
  await writePacked(fs, joinPath(folder, segmentName(oldest.first, newest.last)), lines());
  for (const { name } of segments)
    if (name !== segmentName(oldest.first, newest.last)) await fs.remove(joinPath(folder, name));
}

interface End {
  /** Steps done when it was taken last. */
  readonly taken?: number;
  readonly isDropped?: true;
}

/** What became of rollouts that have a reward or were dropped: of the newest, which is what somebody may still ask for. */
async function endsIn(fs: FileSystem, folder: string, segments: readonly Segment[]): Promise<Map<unknown, End>> {
  const ends = new Map<unknown, End>();
  const end = (id: unknown, how: End): void => {
    ends.delete(id);
    ends.set(id, how);
    const [oldest] = ends.keys();
    if (ends.size > maxEnded) ends.delete(oldest);
  };
  for (const { name, isPacked } of segments)
    for await (const line of linesOfSegment(fs, joinPath(folder, name), isPacked)) {
      const row = rowIn(line);
      if (row?.["kind"] === "finished") end((row["rollout"] as UnknownRecord)["id"], {});
      if (row?.["kind"] === "dropped" || row?.["kind"] === "validated") end(row["id"], { isDropped: true });
      if (row?.["kind"] === "taken")
        for (const id of row["ids"] as readonly unknown[]) end(id, { taken: row["step"] as number });
    }
  return ends;
}

/** Steps of the checkpoints that are there. */
async function keptSteps(fs: FileSystem, directory: string): Promise<number[]> {
  const folder = joinPath(directory, runFiles.checkpoints);
  if (!(await fs.exists(folder))) return [];
  return (await fs.list(folder)).flatMap((name) => {
    const [, step] = /^step-(\d+)$/u.exec(name) ?? [];
    return step === undefined ? [] : [Number(step)];
  });
}
