import { thrownText } from "@laconic/core";
import {
  formerRunFiles,
  fromBase64,
  packNumbers,
  recordedEpisodes,
  type RecordedEpisode,
  type StoredContent,
  type StoredRollout,
  runFiles,
} from "@laconic/core/run-folder";
import { gunzip, inflate } from "#platform";
import { recordIn, type RunSource } from "../run/run-source.ts";
import { partsIn } from "./whole-files.ts";
import { EpisodeFile, type EpisodeEntry } from "./episode-file.ts";
import { rowOf } from "./rows.ts";

/** Larger content is passed over, and named. */
const maxContentBytes = 64 << 20;

const [latin, utf8] = [new TextDecoder("latin1"), new TextDecoder()];

/** A file ends before what stood in it: it was cut off, as by a resume, or cannot be read now. */
export class CutOffError extends Error {
  override readonly name = "CutOffError";
}

/** The episodes of an entry, with what was learned from them. @throws Error where they cannot be read, or are too large, {@link CutOffError} among them */
export async function episodeContent(source: RunSource, { file, from, length }: EpisodeEntry): Promise<StoredContent> {
  const bytes = await source.bytes(file, from, length);
  if (bytes?.length !== length) throw new CutOffError("it is not there any more");
  if (file === formerRunFiles.rollouts || file === formerRunFiles.episodes) return transcriptContent(bytes);
  if (file === formerRunFiles.records) return recordContent(bytes);
  return checked(rowOf(utf8.decode(await gunzip(bytes, maxContentBytes))));
}

/**
 * Every episode of one kind that a run folder holds, in the order of its file; of steps that stand twice, those of the later. Reads one step
 * at a time, whatever the length of the file. Records of earlier versions hold no prompts: those of the transcripts beside them stand in.
 * @param damage - told what cannot be read and is passed over, in words
 * @param steps - those that are wanted: parts of a long run that have none are not looked into; all by default
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
  for (const each of steps === null ? [new EpisodeFile(source, file)] : await filesWith(source, file, steps))
    await each.readNew({
      reset: () => void (entries = []),
      entry: (entry) => void (isMeant(entry) && entries.push(entry)),
      damage,
    });
  const complete = new Map(entries.flatMap((each) => (each.isComplete ? [[each.step, each] as const] : [])));
  const transcripts = new Map<number, EpisodeEntry[]>();
  for (const each of entries)
    if (!each.isComplete && complete.has(each.step))
      transcripts.set(each.step, [...(transcripts.get(each.step) ?? []), each]);
  const read = (entry: EpisodeEntry): Promise<readonly RecordedEpisode[]> => readEpisodes(source, entry, damage);
  for (const entry of entries) {
    if ((complete.get(entry.step) ?? entry) !== entry) continue;
    const episodes = await read(entry);
    const shown = (entry.file === formerRunFiles.records && transcripts.get(entry.step)) || [];
    yield* withPrompts(episodes, (await Promise.all(shown.map(read))).flat());
  }
}

/** The parts of a file that hold some steps, and what is in no part. */
async function filesWith(source: RunSource, name: string, steps: ReadonlySet<number>): Promise<EpisodeFile[]> {
  const wanted = [...steps];
  const files: EpisodeFile[] = [];
  let bytes = 0;
  for (const part of await partsIn(source, name)) {
    bytes += (await source.stat(part.name))?.size ?? 0;
    if (wanted.some((step) => step >= part.first && step <= part.last)) files.push(new EpisodeFile(source, part.name));
  }
  return [...files, new EpisodeFile(source, name, bytes)];
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

/** Who read the same problem and the same messages read the same prompts. */
function withPrompts(
  episodes: readonly RecordedEpisode[],
  transcripts: readonly RecordedEpisode[],
): readonly RecordedEpisode[] {
  if (transcripts.length === 0) return episodes;
  const keyOf = ({ problem, episode }: RecordedEpisode): string =>
    JSON.stringify([problem.id, ...episode.utterances.map(({ agent, turn, text }) => [agent, turn, text])]);
  const known = new Map(transcripts.map((each) => [keyOf(each), each.episode.utterances]));
  return episodes.map((each) => {
    const found = known.get(keyOf(each));
    if (!found) return each;
    const utterances = each.episode.utterances.map((own, i) => ({ ...own, prompt: found[i]?.prompt ?? own.prompt }));
    return { ...each, episode: { ...each.episode, utterances } };
  });
}

/**
 * Of each validation the first episodes, as many as the run keeps transcripts.
 * @param settings - of the run, as its folder has them
 */
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

/** Of a line of `records.jsonl`. */
async function recordContent(line: Uint8Array): Promise<StoredContent> {
  // All of a record's line is ASCII.
  const { deflate } = rowOf(latin.decode(line)) ?? {};
  if (typeof deflate !== "string") throw new Error("it holds nothing");
  return checked(rowOf(utf8.decode(await inflate(fromBase64(deflate), maxContentBytes))));
}

/** Of a line of `rollouts.jsonl` or `episodes.jsonl`, which has one episode with all that it needs. */
function transcriptContent(line: Uint8Array): StoredContent {
  const row = rowOf(line);
  const [problem, episode] = [recordIn(row?.["problem"]), recordIn(row?.["episode"])];
  if (typeof problem?.["id"] !== "string") throw new Error("it holds no problem");
  if (!Array.isArray(episode?.["utterances"]) || !Array.isArray(recordIn(episode["ledger"])?.["calls"]))
    throw new Error("it holds no episode");
  const { problem: asked, episode: played, reward, terms, score, task } = row as unknown as RecordedEpisode;
  const { utterances, ...rest } = played;
  const stored = {
    episodes: [{ ...rest, utterances: utterances.map((_, i) => i), ...(score !== undefined && { score }) }],
    utterances: utterances.map(({ trace, ...each }) => ({
      ...each,
      ...(trace && { promptTokens: trace.promptTokens, tokens: trace.tokens }),
    })),
    sampledLogProbs: packNumbers(utterances.flatMap(({ trace }) => trace?.logProbs ?? [])),
  };
  if (reward === undefined && terms === undefined)
    return { ...stored, played: [{ problem: asked, episode: 0, task: task ?? null }] };
  // What its costs were counted in is not known.
  const rollout = { group: 0, episode: 0, terms: terms ?? {}, reward: reward ?? null } as StoredRollout;
  return { ...stored, problems: [asked], rollouts: [rollout] };
}
