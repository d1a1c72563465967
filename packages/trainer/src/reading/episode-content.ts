import { thrownText } from "@laconic/core";
import { recordedEpisodes, type RecordedEpisode, type StoredContent, runFiles } from "@laconic/core/run-folder";
import { gunzip } from "#platform";
import { recordIn, type RunSource } from "./run-source.ts";
import { EpisodeFile, type EpisodeEntry } from "./episode-file.ts";
import { rowOf } from "./rows.ts";

/** Larger content is skipped with a message. */
const maxContentBytes = 64 << 20;

const utf8 = new TextDecoder();

/** The file was cut by a resume, or is unreadable. */
export class CutOffError extends Error {
  override readonly name = "CutOffError";
}

/** Reads an entry. @throws Error for unreadable or too large content, including {@link CutOffError} */
export async function episodeContent(source: RunSource, { file, from, length }: EpisodeEntry): Promise<StoredContent> {
  const bytes = await source.bytes(file, from, length);
  if (bytes?.length !== length) throw new CutOffError("it is not there any more");
  return checked(rowOf(utf8.decode(await gunzip(bytes, maxContentBytes))));
}

/**
 * Yields episodes in file order, one step at a time; the later copy of a repeated step counts.
 * @param damage - called with a message about skipped content
 * @param steps - default all
 */
export async function* eachEpisode(
  source: RunSource,
  kind: EpisodeEntry["kind"] | "test",
  damage: (message: string) => void = () => undefined,
  steps: ReadonlySet<number> | null = null,
): AsyncGenerator<RecordedEpisode> {
  let entries: EpisodeEntry[] = [];
  const [file, held] = kind === "test" ? [runFiles.testEpisodes, "evaluation"] : [runFiles.episodes, kind];
  const isMeant = (entry: EpisodeEntry): boolean => entry.kind === held && (steps?.has(entry.step) ?? true);
  await new EpisodeFile(source, file).readNew({
    reset: () => void (entries = []),
    entry: (entry) => void (isMeant(entry) && entries.push(entry)),
    damage,
  });
  const complete = new Map(entries.flatMap((each) => (each.isComplete ? [[each.step, each] as const] : [])));
  for (const entry of entries)
    if ((complete.get(entry.step) ?? entry) === entry) yield* await readEpisodes(source, entry, damage);
}

async function readEpisodes(
  source: RunSource,
  entry: EpisodeEntry,
  damage: (message: string) => void,
): Promise<readonly RecordedEpisode[]> {
  try {
    return recordedEpisodes(entry.step, await episodeContent(source, entry));
  } catch (error) {
    damage(`${entry.file}: row ${entry.number} cannot be read: ${thrownText(error)}`);
    return [];
  }
}

/** Yields the first episodes of each validation, as many as transcripts. @param settings - from the run folder */
export async function* shownEpisodes(
  source: RunSource,
  settings: Readonly<Record<string, unknown>>,
  steps: ReadonlySet<number> | null = null,
): AsyncGenerator<RecordedEpisode> {
  const train = recordIn(settings["train"]) ?? settings;
  const { transcripts = Infinity } = recordIn(train["evaluation"]) ?? {};
  const shown = new Map<number, number>();
  for await (const each of eachEpisode(source, "evaluation", undefined, steps)) {
    const before = shown.get(each.step) ?? 0;
    shown.set(each.step, before + 1);
    if (before < Number(transcripts)) yield each;
  }
}

function checked(content: Readonly<Record<string, unknown>> | null): StoredContent {
  const { episodes, utterances } = content ?? {};
  if (!Array.isArray(episodes) || !Array.isArray(utterances)) throw new Error("it holds no episodes");
  return content as unknown as StoredContent;
}
