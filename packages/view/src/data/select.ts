import type { AgentId } from "@laconic/core";
import type {
  EpisodeKind,
  EpisodeQuery,
  EpisodeSummary,
  ListPage,
  SampleQuery,
  SampleRow,
  SampleVerdict,
} from "../protocol.ts";

/** Tokens of episodes stay on disk. */
export interface ListedRow {
  readonly summary: EpisodeSummary;
  readonly agents: readonly AgentId[];
  /** Question, views, messages and answer in lower case. */
  readonly text: string;
}

export interface ListedSample {
  readonly row: Omit<SampleRow, "question" | "gold">;
  readonly question: { readonly text: string };
  readonly answer: string;
}

/** Evaluations follow their step. */
export function orderOf({ kind, step }: { readonly kind: EpisodeKind; readonly step: number }): number {
  return 2 * step + (kind === "evaluation" ? 1 : 0);
}

export function pageOf<T, Row>(
  items: readonly T[],
  { offset = 0, limit = 50 }: Pick<SampleQuery, "offset" | "limit">,
  rowOf: (item: T) => Row,
): ListPage<Row> {
  return { total: items.length, rows: items.slice(offset, offset + limit).map(rowOf) };
}

/** First 16 words of a search, in lower case. */
export function searchWords(text: string): readonly string[] {
  const words = text.toLowerCase().split(/\s+/u);
  return words.filter((word) => word !== "").slice(0, 16);
}

/** Ignores offset and limit. @param rows - newest first */
export function selectRows(rows: readonly ListedRow[], query: EpisodeQuery): readonly ListedRow[] {
  const { text = "", kind, correct, agent, silent, fromStep = 0, toStep = Infinity, problem, sort = "newest" } = query;
  const words = searchWords(text);
  const isSilent = ({ summary }: ListedRow): boolean =>
    agent === undefined ? summary.silent.length > 0 : summary.silent.includes(agent);
  const selected = rows.filter((row) => {
    const { summary } = row;
    return (
      (kind === undefined || summary.kind === kind) &&
      fromStep <= summary.step &&
      summary.step <= toStep &&
      (problem === undefined || summary.problem === problem) &&
      (correct === undefined || (summary.grade === 1) === correct) &&
      (agent === undefined || row.agents.includes(agent)) &&
      (silent === undefined || isSilent(row) === silent) &&
      words.every((word) => row.text.includes(word))
    );
  });
  if (sort === "tokens") return mostFirst(selected, ({ summary }) => summary.tokens);
  if (sort === "reward") return mostFirst(selected, ({ summary }) => summary.reward);
  return sort === "oldest" ? mostFirst(selected, ({ summary }) => -orderOf(summary)) : selected;
}

/**
 * Ignores offset and limit.
 * @param byQuestion - order that keeps a question's samples together
 */
export function selectSamples<S extends ListedSample>(
  samples: readonly S[],
  { text = "", method, against, benchmark, verdict, sort = "question" }: SampleQuery,
  byQuestion: (a: S, b: S) => number,
): readonly S[] {
  const words = searchWords(text);
  const methods = [method, against].filter((name) => name !== undefined);
  const disagreeing = against === undefined ? null : disagreeingOn(samples, method, against);
  const selected = samples.filter(
    ({ row, question, answer }) =>
      (methods.length === 0 || methods.includes(row.method)) &&
      (benchmark === undefined || row.benchmark === benchmark) &&
      (verdict === undefined || row.verdict === verdict) &&
      (disagreeing === null || disagreeing.has(repeatOf({ row }))) &&
      words.every((word) => answer.includes(word) || question.text.toLowerCase().includes(word)),
  );
  if (sort === "newest") return selected.toReversed();
  if (sort === "tokens") return mostFirst(selected, ({ row }) => row.tokens);
  if (sort === "cost") return mostFirst(selected, ({ row }) => row.usd);
  if (sort === "time") return mostFirst(selected, ({ row }) => row.seconds);
  return selected.toSorted(byQuestion);
}

/** Right against wrong; any method if `method` is missing. */
function disagreeingOn(
  samples: readonly ListedSample[],
  method: string | undefined,
  against: string,
): ReadonlySet<string> {
  const repeatsWith = (verdict: SampleVerdict): ReadonlySet<string> =>
    new Set(samples.filter(({ row }) => row.method === against && row.verdict === verdict).map(repeatOf));
  const opposite: Partial<Record<SampleVerdict, ReadonlySet<string>>> = {
    right: repeatsWith("wrong"),
    wrong: repeatsWith("right"),
  };
  const first = samples.filter(({ row }) => row.method !== against && (method ?? row.method) === row.method);
  return new Set(first.filter((sample) => opposite[sample.row.verdict]?.has(repeatOf(sample))).map(repeatOf));
}

function repeatOf({ row }: Pick<ListedSample, "row">): string {
  return JSON.stringify([row.benchmark, row.problem, row.repeat]);
}

/** Stable; rows without a value come last. */
function mostFirst<T>(rows: readonly T[], valueOf: (row: T) => number | null): readonly T[] {
  return rows
    .map((row) => ({ row, value: valueOf(row) ?? -Infinity }))
    .toSorted((a, b) => b.value - a.value)
    .map(({ row }) => row);
}
