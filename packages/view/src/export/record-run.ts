import { formatCount } from "@laconic/core/text";
import { withTexts, type TokenizerOf } from "../api.ts";
import type { FolderReader } from "../data/folder-data.ts";
import type { EpisodeDetail, MetricTable, RecordedRun, TellingEpisode } from "../protocol.ts";
import { spaced } from "../data/texts.ts";
import { embeddedBytes, fitting } from "./sized.ts";

/** A part of the file, and what it lacks in sentences. */
export interface Recording<T> {
  readonly recorded: T;
  readonly leftOut: readonly string[];
}

/** Shares of the room of a run: the rest is for conversations. */
const share = { speech: 0.2, columns: 0.25 } as const;

/** Conversations of each of the two evaluations that are looked at. */
const maxOfEvaluation = 200;

/** A conversation larger than this loses its tokens, and texts longer than this their ends. */
const large = { bytes: 40_000, characters: 4000 } as const;

/**
 * A run with as much of its steps, curves and conversations as there is room for, the most telling first.
 * @param maxBytes - in the file
 */
export async function recordRun(
  data: FolderReader,
  id: string,
  { maxBytes, tokenizerOf }: { readonly maxBytes: number; readonly tokenizerOf: TokenizerOf },
): Promise<Recording<RecordedRun>> {
  await data.readAll(id);
  const [detail, speech, table] = [await data.run(id), await data.speech(id), await data.columns(id, null)];
  if (!detail || !speech || !table) throw new Error(`there is no run ${id}`);
  const told = (await data.telling(id)) ?? [];
  const steps = fitting(speech.steps, share.speech * maxBytes);
  const metrics = thinned(table, share.columns * maxBytes);
  const taken = embeddedBytes([detail, steps, metrics, told]);
  const { episodes, shortened } = await recordEpisodes(await keysOf(data, id, told), maxBytes - taken, async (key) => {
    const episode = await data.episode(id, key);
    return episode && withTexts(data, id, episode, tokenizerOf);
  });
  const held = new Set(episodes.map(({ row }) => row.key));
  const leftOut = [
    ...(episodes.length < detail.episodes
      ? [
          `conversations: ${formatCount(episodes.length)} of ${formatCount(detail.episodes)} are here, the most telling ones first`,
        ]
      : []),
    ...(shortened > 0 ? [`tokens, and ends of long texts, of ${formatCount(shortened)} conversations`] : []),
    ...(steps.length < speech.steps.length
      ? [`who speaks: ${formatCount(steps.length)} of ${formatCount(speech.steps.length)} steps are here`]
      : []),
    ...(metrics.steps.length < table.steps.length
      ? [`curves: ${formatCount(metrics.steps.length)} of ${formatCount(table.steps.length)} rows are here`]
      : []),
    ...(detail.environment === null ? [] : ["where it ran"]),
  ];
  return {
    recorded: {
      detail: { ...detail, environment: null },
      speech: { ...speech, steps },
      telling: told.filter(({ episode }) => held.has(episode.key)).map((each) => heldOnly(each, held)),
      episodes: episodes.map((each) => ({ ...each, others: each.others.filter(({ key }) => held.has(key)) })),
      metrics,
    },
    leftOut,
  };
}

function heldOnly(told: TellingEpisode, held: ReadonlySet<string>): TellingEpisode {
  const before = told.before && held.has(told.before.key) ? told.before : null;
  return { ...told, before, way: told.way.filter(({ key }) => held.has(key)) };
}

/** The way of the most telling problem, the ends of the others' ways, the last and the first evaluation by turns, then the newest. */
async function keysOf(data: FolderReader, id: string, told: readonly TellingEpisode[]): Promise<ReadonlySet<string>> {
  const [first, ...others] = told;
  const ends = others.flatMap(({ episode, before }) => [episode, before].flatMap((row) => row ?? []));
  const of = async (sort: "newest" | "oldest", kind?: "evaluation") =>
    (await data.episodes(id, { sort, limit: maxOfEvaluation, ...(kind && { kind }) }))?.rows ?? [];
  const [last, beginning] = [await of("newest", "evaluation"), await of("oldest", "evaluation")];
  const pairs = last.flatMap((row, i) => [row, beginning[i]].flatMap((each) => each ?? []));
  return new Set([...(first?.way ?? []), ...ends, ...pairs, ...(await of("newest"))].map(({ key }) => key));
}

/** Those that fit, in their order, once what stands beside them in the list of others is cut to what may be held. */
async function recordEpisodes(
  keys: ReadonlySet<string>,
  room: number,
  open: (key: string) => Promise<EpisodeDetail | null>,
): Promise<{ readonly episodes: readonly EpisodeDetail[]; readonly shortened: number }> {
  const episodes: EpisodeDetail[] = [];
  let [left, shortened] = [room, 0];
  for (const key of keys) {
    const opened = await open(key);
    if (!opened) continue;
    const whole = { ...opened, others: opened.others.filter((row) => keys.has(row.key)) };
    const isLarge = embeddedBytes(whole) > large.bytes;
    const episode = isLarge ? shortenedEpisode(whole) : whole;
    left -= embeddedBytes(episode) + 1;
    if (left < 0) break;
    if (isLarge) shortened += 1;
    episodes.push(episode);
  }
  return { episodes, shortened };
}

function shortenedEpisode(episode: EpisodeDetail): EpisodeDetail {
  const cut = (text: string): string =>
    text.length > large.characters ? `${text.slice(0, large.characters)}… (the copy ends here)` : text;
  return {
    ...episode,
    problem: { ...episode.problem, question: cut(episode.problem.question), gold: cut(episode.problem.gold) },
    answer: episode.answer === null ? null : cut(episode.answer),
    turns: episode.turns.map((turn) => ({
      ...turn,
      text: cut(turn.text),
      view: turn.view === null ? null : cut(turn.view),
      observed: turn.observed && { ...turn.observed, text: cut(turn.observed.text) },
      tokens: null,
    })),
  };
}

/** Every metric at evenly spaced rows. */
function thinned({ every, steps, columns }: MetricTable, maxBytes: number): MetricTable {
  const bytesPerRow = Math.max(1, 10 * (1 + Object.keys(columns).length)); // digits and a comma
  const rows = spaced([...steps.keys()], Math.max(2, Math.floor(maxBytes / bytesPerRow)));
  const at = <T>(values: readonly T[]): T[] => rows.map((row) => values[row] as T);
  return {
    every,
    steps: at(steps),
    columns: Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, at(values)])),
  };
}
