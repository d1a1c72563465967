import { formatCount } from "@laconic/core/text";
import { withTexts, type TokenizerOf } from "../api.ts";
import { spaced } from "../data/texts.ts";
import type {
  BenchTable,
  EpisodeDetail,
  MetricTable,
  RecordedBench,
  RecordedRun,
  SampleDetail,
  TellingEpisode,
} from "../protocol.ts";
import type { ViewData } from "../requests.ts";

export interface Recording<T> {
  readonly recorded: T;
  readonly leftOut: readonly string[];
}

/** Byte shares of a run; conversations get the rest. */
const share = { speech: 0.2, columns: 0.25 } as const;

/** Max candidates: conversations per evaluation query, and samples of a bench. */
const considered = { ofEvaluation: 200, samples: 500 } as const;

/** Larger conversations lose tokens and long text ends; larger samples lose their calls. */
const large = { bytes: 40_000, characters: 4000 } as const;

/** JSON that cannot end its `script` element, with six significant digits. */
export function embeddedJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "number" && !Number.isInteger(item) ? Number(item.toPrecision(6)) : item,
  ).replaceAll("<", String.raw`\u003c`);
}

export function embeddedBytes(value: unknown): number {
  return Buffer.byteLength(embeddedJson(value));
}

/** Most telling first, within `maxBytes`. */
export async function recordRun(
  data: ViewData,
  id: string,
  maxBytes: number,
  tokenizerOf: TokenizerOf,
): Promise<Recording<RecordedRun>> {
  const [detail, speech, table] = [await data.run(id), await data.speech(id), await data.columns(id, null)];
  if (!detail || !speech || !table) throw new Error(`run ${id} not found`);
  const telling = (await data.telling(id)) ?? [];
  const bytesPerStep = embeddedBytes(speech.steps) / Math.max(1, speech.steps.length);
  const steps = spaced(speech.steps, Math.max(2, Math.floor((share.speech * maxBytes) / bytesPerStep)));
  const metrics = thinned(table, share.columns * maxBytes);
  const keys = await keysOf(data, id, telling);
  const room = maxBytes - embeddedBytes([detail, steps, metrics, telling]);
  const { fitting: episodes, reduced } = await fit(keys, room, async (key) => {
    const stored = await data.episode(id, key);
    if (!stored) return null;
    const episode = await withTexts(data, id, stored, tokenizerOf);
    const whole = { ...episode, others: episode.others.filter((row) => keys.has(row.key)) };
    return [whole, shortenedEpisode];
  });
  const held = new Set(episodes.map(({ row }) => row.key));
  return {
    recorded: {
      detail: { ...detail, environment: null },
      speech: { ...speech, steps },
      telling: telling
        .filter(({ episode }) => held.has(episode.key))
        .map((episode) => ({
          ...episode,
          before: episode.before && held.has(episode.before.key) ? episode.before : null,
          way: episode.way.filter(({ key }) => held.has(key)),
        })),
      episodes: withHeldOthers(episodes, held),
      metrics,
    },
    leftOut: [
      ...lacks("episodes", episodes.length, detail.episodes, "are included, the most informative first"),
      ...(reduced > 0 ? [`tokens, and ends of long texts, of ${formatCount(reduced)} episodes`] : []),
      ...lacks("messages between agents", steps.length, speech.steps.length, "steps are included"),
      ...lacks("curves", metrics.steps.length, table.steps.length, "rows are included"),
      ...(detail.environment === null ? [] : ["environment"]),
    ],
  };
}

/** Records a bench's table and as many samples as `maxBytes` allow, by question. */
export async function recordBench(
  data: ViewData,
  table: BenchTable,
  maxBytes: number,
): Promise<Recording<RecordedBench>> {
  const page = await data.samples(table.id, { sort: "question", limit: considered.samples });
  const keys = page?.rows.map(({ key }) => key) ?? [];
  const { fitting: samples, reduced } = await fit(keys, maxBytes - embeddedBytes(table), async (key) => {
    const sample = await data.sample(table.id, key);
    const withoutCalls = (whole: SampleDetail): SampleDetail => ({
      ...whole,
      calls: [],
      callsMissing: "Too large for this file.",
    });
    return sample && [sample, withoutCalls];
  });
  return {
    recorded: { table, samples: withHeldOthers(samples, new Set(samples.map(({ row }) => row.key))) },
    leftOut: [
      ...lacks("samples", samples.length, table.samples, "are included"),
      ...(reduced > 0 ? [`requests and replies of ${formatCount(reduced)} samples`] : []),
    ],
  };
}

function lacks(name: string, here: number, all: number, rest: string): string[] {
  return here < all ? [`${name}: ${formatCount(here)} of ${formatCount(all)} ${rest}`] : [];
}

/** Reduces large items; stops when the bytes are used up. */
async function fit<T>(
  keys: Iterable<string>,
  maxBytes: number,
  open: (key: string) => Promise<readonly [whole: T, reduce: (whole: T) => T] | null>,
): Promise<{ readonly fitting: readonly T[]; readonly reduced: number }> {
  const fitting: T[] = [];
  let [left, reduced] = [maxBytes, 0];
  for (const key of keys) {
    const opened = await open(key);
    if (!opened) continue;
    const [whole, reduce] = opened;
    const isLarge = embeddedBytes(whole) > large.bytes;
    const item = isLarge ? reduce(whole) : whole;
    left -= embeddedBytes(item) + 1;
    if (left < 0) break;
    reduced += Number(isLarge);
    fitting.push(item);
  }
  return { fitting, reduced };
}

function withHeldOthers<T extends { readonly others: readonly { readonly key: string }[] }>(
  items: readonly T[],
  held: ReadonlySet<string>,
): T[] {
  return items.map((item) => ({ ...item, others: item.others.filter(({ key }) => held.has(key)) }));
}

/** First telling problem at all evaluations, both ends of others, last and first evaluation, then the newest. */
async function keysOf(
  data: ViewData,
  id: string,
  [first, ...others]: readonly TellingEpisode[],
): Promise<ReadonlySet<string>> {
  const ends = others.flatMap(({ episode, before }) => [episode, before].flatMap((row) => row ?? []));
  const rowsBy = async (sort: "newest" | "oldest", kind?: "evaluation") =>
    (await data.episodes(id, { sort, limit: considered.ofEvaluation, ...(kind && { kind }) }))?.rows ?? [];
  const [last, beginning] = [await rowsBy("newest", "evaluation"), await rowsBy("oldest", "evaluation")];
  const pairs = last.flatMap((row, i) => [row, beginning[i]].flatMap((item) => item ?? []));
  return new Set([...(first?.way ?? []), ...ends, ...pairs, ...(await rowsBy("newest"))].map(({ key }) => key));
}

function shortenedEpisode(episode: EpisodeDetail): EpisodeDetail {
  const cut = (text: string): string =>
    text.length > large.characters ? `${text.slice(0, large.characters)}… (cut here)` : text;
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

function thinned({ every, steps, columns }: MetricTable, maxBytes: number): MetricTable {
  const bytesPerRow = Math.max(1, 10 * (1 + Object.keys(columns).length)); // digits and a comma
  const rows = spaced([...steps.keys()], Math.max(2, Math.floor(maxBytes / bytesPerRow)));
  const pick = <T>(values: readonly T[]): T[] => rows.map((row) => values[row] as T);
  return {
    every,
    steps: pick(steps),
    columns: Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, pick(values)])),
  };
}
