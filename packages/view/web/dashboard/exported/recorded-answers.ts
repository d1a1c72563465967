import { orderOf, selectRows } from "../../../src/data/episode-rows.ts";
import type { EpisodeDetail, EpisodeQuery, RecordedView, SampleDetail, SampleQuery } from "../../../src/protocol.ts";

/** Server answer from the file's data; undefined if missing. */
export function recordedAnswer({ runs, benches }: RecordedView, path: string): unknown {
  const [place = "", search = ""] = path.split("?");
  const [kind, id, part, key] = place.slice(1).split("/").map(decodeURIComponent);
  const query = new URLSearchParams(search);
  if (kind === "benches") {
    if (id === undefined) return benches.map(({ table }) => table);
    const bench = benches.find(({ table }) => table.id === id);
    if (key !== undefined) return bench?.samples.find(({ row }) => row.key === key);
    return bench && pageOf(samplesFor(bench.samples, Object.fromEntries(query)), query, bench.samples.length);
  }
  if (id === undefined) return runs.map(({ detail }) => detail.summary);
  const run = runs.find(({ detail }) => detail.summary.id === id);
  if (part === undefined) return run?.detail;
  if (part === "speech" || part === "telling") return run?.[part];
  if (part === "columns") return run?.metrics;
  if (key !== undefined) return run?.episodes.find(({ row }) => row.key === key);
  return run && pageOf(episodesFor(run.episodes, query), query, run.episodes.length);
}

function pageOf(rows: readonly object[], query: URLSearchParams, indexed: number): object {
  const offset = Number(query.get("offset") ?? 0);
  return { total: rows.length, indexed, rows: rows.slice(offset, offset + Number(query.get("limit") ?? 50)) };
}

function episodesFor(all: readonly EpisodeDetail[], query: URLSearchParams): readonly object[] {
  const rows = all.map(({ row, turns, problem }) => ({
    summary: row,
    agents: turns.map(({ agent }) => agent),
    text: [problem.question, row.answer, ...turns.flatMap(({ text, view }) => [text, view])].join("\n").toLowerCase(),
  }));
  const newestFirst = rows.toSorted((a, b) => orderOf(b.summary) - orderOf(a.summary));
  return selectRows(newestFirst, episodeQuery(query)).map(({ summary }) => summary);
}

function episodeQuery(search: URLSearchParams): EpisodeQuery {
  const { correct, silent, fromStep, toStep, ...texts } = Object.fromEntries(search);
  return {
    ...(texts as EpisodeQuery),
    ...(correct && { correct: correct === "true" }),
    ...(silent && { silent: silent === "true" }),
    ...(fromStep && { fromStep: Number(fromStep) }),
    ...(toStep && { toStep: Number(toStep) }),
  };
}

function samplesFor(all: readonly SampleDetail[], query: SampleQuery): readonly object[] {
  const { text = "", method, against, benchmark, verdict } = query;
  const words = text.toLowerCase().split(/\s+/u);
  // `against` and `method` (or any other method) must disagree, right against wrong.
  const disagrees = ({ row, others }: SampleDetail): boolean =>
    others.some((other) => {
      const pair = [row.method, other.method];
      const pairVerdicts = [row.verdict, other.verdict].toSorted().join();
      return pair.includes(against ?? "") && (!method || pair.includes(method)) && pairVerdicts === "right,wrong";
    });
  const selected = all.filter((sample) => {
    const { row, question } = sample;
    const searched = [question, row.extracted, row.gold].join("\n").toLowerCase();
    return (
      (against ? disagrees(sample) : (method ?? row.method) === row.method) &&
      (benchmark ?? row.benchmark) === row.benchmark &&
      (verdict ?? row.verdict) === row.verdict &&
      words.every((word) => searched.includes(word))
    );
  });
  return selected.map(({ row }) => row);
}
