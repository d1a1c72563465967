import { thrownText, type UnknownRecord } from "@laconic/core";
import { membersIn, recordedEpisodes, recordVersion, runFiles } from "@laconic/core/run-folder";
import type { MemberHead, RecordedEpisode, StoredContent } from "@laconic/core/run-folder";
import { gunzip } from "#platform";
import { rowOf } from "./rows.ts";
import { recordIn, type RunSource } from "./run-source.ts";

/** Location of the episodes of a step or an evaluation. */
export interface EpisodeEntry extends MemberHead {
  readonly file: string;
  readonly from: number;
  readonly length: number;
  /** Counts from 1. */
  readonly number: number;
}

/** Receives the entries of an episode file. */
export interface EntryReader {
  /** The file was replaced or cut; reading restarts. */
  reset(): void;
  entry(entry: EpisodeEntry): void;
  damage(message: string): void;
}

/** Finds the episodes of each step in a growing file, without reading them. */
export class EpisodeFile {
  readonly #source: RunSource;
  readonly #name: string;
  #inode = 0;
  #offset = 0;
  #count = 0;

  /** @param name - training or test episodes */
  constructor(source: RunSource, name: string = runFiles.episodes) {
    this.#source = source;
    this.#name = name;
  }

  /** Reads new entries. @returns whether there were any */
  async readNew(reader: EntryReader): Promise<boolean> {
    const file = this.#name;
    const match = await this.#source.stat(file);
    const isOther = this.#offset > 0 && (!match || (match.ino ?? 0) !== this.#inode || match.size < this.#offset);
    if (isOther) {
      this.#offset = 0;
      this.#count = 0;
      reader.reset();
    }
    if (!match || match.size <= this.#offset) return isOther;
    this.#inode = match.ino ?? 0;
    const before = this.#offset;
    const read = (from: number, length: number): Promise<Uint8Array | null> => this.#source.bytes(file, from, length);
    for await (const { head, from, length, isLast } of membersIn(read, this.#offset)) {
      if (!head && isLast) break; // half-written
      this.#count += 1;
      this.#offset = from + length;
      if (head) this.#tell(reader, { ...head, file, from, length, number: this.#count });
      else reader.damage(`${file}: member ${this.#count} is damaged, ${length} bytes from byte ${from} on`);
    }
    return isOther || this.#offset > before;
  }

  #tell(reader: EntryReader, entry: EpisodeEntry): void {
    if (entry.version === recordVersion) reader.entry(entry);
    else {
      const { file, number, version } = entry;
      reader.damage(`${file}: row ${number} has version ${version}, this program reads ${recordVersion}`);
    }
  }
}

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
  if (bytes?.length !== length) throw new CutOffError("it no longer exists");
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
  const complete = new Map(entries.flatMap((entry) => (entry.isComplete ? [[entry.step, entry] as const] : [])));
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
  settings: UnknownRecord,
  steps: ReadonlySet<number> | null = null,
): AsyncGenerator<RecordedEpisode> {
  const train = recordIn(settings["train"]) ?? settings;
  const { transcripts = Infinity } = recordIn(train["evaluation"]) ?? {};
  const shown = new Map<number, number>();
  for await (const recordedEpisode of eachEpisode(source, "evaluation", undefined, steps)) {
    const before = shown.get(recordedEpisode.step) ?? 0;
    shown.set(recordedEpisode.step, before + 1);
    if (before < Number(transcripts)) yield recordedEpisode;
  }
}

function checked(content: UnknownRecord | null): StoredContent {
  const { episodes, utterances } = content ?? {};
  if (!Array.isArray(episodes) || !Array.isArray(utterances)) throw new Error("it has no episodes");
  return content as unknown as StoredContent;
}
