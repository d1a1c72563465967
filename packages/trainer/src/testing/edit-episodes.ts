import { boundedJson } from "@laconic/core/json";
import { joinBytes, joinPath, type FileSystem } from "@laconic/core/files";
import { gunzip, gzipped } from "#platform";
import { gzipMember, membersIn, runFiles, type MemberHead } from "@laconic/core/run-folder";

/** Step or evaluation in a run's episode file. */
export interface EpisodeMember {
  readonly head: MemberHead;
  readonly content: Record<string, unknown>;
}

/** Reads a run's episode file. */
export async function episodeMembers(fs: FileSystem, run: string): Promise<EpisodeMember[]> {
  const path = joinPath(run, runFiles.episodes);
  const members: EpisodeMember[] = [];
  for await (const { head, from, length } of membersIn((...location) => fs.readPart(path, ...location))) {
    if (!head) throw new Error(`${path} is damaged at byte ${from}`);
    const text = new TextDecoder().decode(await gunzip(await fs.readPart(path, from, length), 1 << 30));
    members.push({ head, content: boundedJson(text) as Record<string, unknown> });
  }
  return members;
}

/** Rewrites a run's episode file. @returns the end of each member in bytes */
export async function writeEpisodeMembers(
  fs: FileSystem,
  run: string,
  members: readonly EpisodeMember[],
): Promise<readonly number[]> {
  const packed = await Promise.all(
    members.map(async ({ head, content }) => gzipMember(await gzipped(`${JSON.stringify(content)}\n`), head)),
  );
  await fs.write(joinPath(run, runFiles.episodes), joinBytes(packed));
  let end = 0;
  return packed.map(({ length }) => (end += length));
}
