import type { EpisodeDetail, RecordedView, SampleDetail } from "../../../src/protocol.ts";

/** What the server would have answered; undefined for what the file does not hold. */
export function recordedAnswer({ runs, benches }: RecordedView, path: string): unknown {
  const [place = "", search = ""] = path.split("?");
  const [kind, id, part, key] = place.slice(1).split("/").map(decodeURIComponent);
  const query = new URLSearchParams(search);
  if (kind === "benches") {
    if (id === undefined) return benches.map(({ table }) => table);
    const bench = benches.find(({ table }) => table.id === id);
    if (key !== undefined) return bench?.samples.find(({ row }) => row.key === key);
    return bench && pageOf(samplesFor(bench.samples, query), query, bench.samples.length);
  }
  if (id === undefined) return runs.map(({ detail }) => detail.summary);
  const run = runs.find(({ detail }) => detail.summary.id === id);
  if (!run) return undefined;
  if (part === undefined) return run.detail;
  if (part === "speech" || part === "telling") return run[part];
  if (part === "columns") return run.metrics;
  if (key !== undefined) return run.episodes.find(({ row }) => row.key === key);
  return pageOf(episodesFor(run.episodes, query), query, run.episodes.length);
}

interface Listed<Row> {
  readonly row: Row;
}

function pageOf<Row>(found: readonly Listed<Row>[], query: URLSearchParams, indexed: number): object {
  const offset = Number(query.get("offset") ?? 0);
  const rows = found.slice(offset, offset + Number(query.get("limit") ?? 50)).map(({ row }) => row);
  return { total: found.length, indexed, rows };
}

/** Whether every word stands in one of the texts, in any case. */
function hasWords(query: URLSearchParams, texts: readonly (string | null)[]): boolean {
  const all = texts.join("\n").toLowerCase();
  const words = (query.get("text") ?? "").toLowerCase().split(/\s+/u);
  return words.every((word) => all.includes(word));
}

function episodesFor(all: readonly EpisodeDetail[], query: URLSearchParams): readonly EpisodeDetail[] {
  const asked = (name: string): string | null => query.get(name) || null;
  const [agent, kind, sort] = [asked("agent"), asked("kind"), asked("sort")];
  const [correct, silent] = [asked("correct"), asked("silent")];
  const [from, to] = [Number(asked("fromStep") ?? 0), Number(asked("toStep") ?? Infinity)];
  const found = all.filter(({ row, turns, problem }) => {
    const own = agent === null ? turns : turns.filter((turn) => turn.agent === agent);
    return (
      (kind ?? row.kind) === row.kind &&
      from <= row.step &&
      row.step <= to &&
      own.length > 0 &&
      (correct === null || (correct === "true") === (row.grade === 1)) &&
      (silent === null || (silent === "true") === own.some((turn) => turn.silent)) &&
      hasWords(query, [problem.question, row.answer, ...turns.flatMap(({ text, view }) => [text, view])])
    );
  });
  if (sort === "tokens") return found.toSorted((a, b) => b.row.tokens - a.row.tokens);
  if (sort === "reward") return found.toSorted((a, b) => (b.row.reward ?? -Infinity) - (a.row.reward ?? -Infinity));
  return found.toSorted((a, b) => (sort === "oldest" ? a.row.step - b.row.step : b.row.step - a.row.step));
}

function samplesFor(all: readonly SampleDetail[], query: URLSearchParams): readonly SampleDetail[] {
  const asked = (name: string): string | null => query.get(name) || null;
  const [method, against, benchmark, verdict] = ["method", "against", "benchmark", "verdict"].map((name) =>
    asked(name),
  );
  // One of `against` and `method`, or without that any other, is right where the other is wrong.
  const disagrees = ({ row, others }: SampleDetail): boolean =>
    others.some((other) => {
      const pair = [row.method, other.method];
      const verdicts = [row.verdict, other.verdict].toSorted().join();
      return pair.includes(against ?? "") && (!method || pair.includes(method)) && verdicts === "right,wrong";
    });
  return all.filter((sample) => {
    const { row, question } = sample;
    return (
      (against ? disagrees(sample) : !method || row.method === method) &&
      (!benchmark || row.benchmark === benchmark) &&
      (!verdict || row.verdict === verdict) &&
      hasWords(query, [question, row.extracted, row.gold])
    );
  });
}
