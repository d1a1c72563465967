import type { AgentId, Problem } from "@laconic/core";
import type { StoredEpisode, StoredUtterance } from "@laconic/core/run-folder";
import type { EpisodeQuery, EpisodeSummary } from "../protocol.ts";
import { clipped, wordsOf } from "./texts.ts";

/** An episode in the index. Its tokens stay in the run's files. */
export interface ListedRow {
  readonly summary: EpisodeSummary;
  readonly agents: readonly AgentId[];
  /** Question, views, messages and answer in lower case. */
  readonly text: string;
}

/** What the index takes from a stored episode. */
export interface IndexedPlay {
  readonly problem: Problem;
  readonly episode: Pick<StoredEpisode, "answer" | "ledger">;
  readonly utterances: readonly StoredUtterance[];
  readonly grade: number | null;
  readonly reward: number | null;
}

/** A longer text is searched up to here, in UTF-16 units. */
const maxSearched = 1_000_000;

/** Strings that many episodes share, each held once. */
export class SharedTexts {
  readonly #known = new Map<string, string>();

  get(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    this.#known.set(text, text);
    return text;
  }
}

export function rowOf(
  position: Pick<EpisodeSummary, "key" | "kind" | "step">,
  { problem, episode, utterances, grade, reward }: IndexedPlay,
  shared: SharedTexts,
): ListedRow {
  const { answer } = episode;
  const namesOf = (turns: readonly StoredUtterance[]): AgentId[] => [
    ...new Set(turns.map(({ agent }) => shared.get(agent))),
  ];
  const texts = [problem.question, ...Object.values(problem.views ?? {}), ...utterances.map(({ text }) => text)];
  if (typeof answer === "string" && texts.at(-1) !== answer) texts.push(answer);
  return {
    summary: {
      ...position,
      problem: shared.get(problem.id),
      question: shared.get(clipped(problem.question)),
      answer: typeof answer === "string" ? clipped(answer) : null,
      grade,
      reward,
      tokens: episode.ledger.calls.reduce((sum, call) => sum + call.writtenTokens, 0),
      silent: namesOf(utterances.filter(({ silent }) => silent)),
      opponent: utterances.find(({ opponent }) => opponent !== undefined)?.opponent ?? null,
    },
    agents: namesOf(utterances),
    text: clipped(texts.join("\n").toLowerCase(), maxSearched),
  };
}

/** Rows that a query asks for, in its order. The rows come newest first; offset and limit are ignored. */
export function selectRows(rows: readonly ListedRow[], query: EpisodeQuery): readonly ListedRow[] {
  const { text = "", kind, correct, agent, silent, fromStep = 0, toStep = Infinity, problem, sort = "newest" } = query;
  const words = wordsOf(text);
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
  return sort === "oldest" ? oldestFirst(selected) : selected;
}

/** Reverses the order of steps, not that of a step's episodes. */
function oldestFirst(rows: readonly ListedRow[]): readonly ListedRow[] {
  const lines: ListedRow[][] = [];
  for (const row of rows) {
    const line = lines.at(-1);
    if (line?.[0] && orderOf(line[0].summary) === orderOf(row.summary)) line.push(row);
    else lines.push([row]);
  }
  return lines.toReversed().flat();
}

/** An evaluation comes after the step that it measures. */
export function orderOf({ kind, step }: Pick<EpisodeSummary, "kind" | "step">): number {
  return 2 * step + (kind === "evaluation" ? 1 : 0);
}

/** Largest value first; equal rows stay in their order, and rows without a value are last. */
export function mostFirst<T>(rows: readonly T[], valueOf: (row: T) => number | null): readonly T[] {
  const keys = Float64Array.from(rows, (row) => -(valueOf(row) ?? -Infinity));
  // Numbers alone are sorted ten times as fast as rows; each row then goes where its value begins.
  const sorted = keys.toSorted();
  const next = new Map<number, number>();
  for (let i = sorted.length - 1; i >= 0; i--) next.set(sorted[i] as number, i);
  const ordered = Array.from<T>({ length: rows.length });
  for (const [i, row] of rows.entries()) {
    const place = next.get(keys[i] as number) as number;
    next.set(keys[i] as number, place + 1);
    ordered[place] = row;
  }
  return ordered;
}
