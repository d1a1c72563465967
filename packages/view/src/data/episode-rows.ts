import type { AgentId, Problem } from "@laconic/core";
import { costBreakdown, meanBreakdown } from "@laconic/core/ledger";
import type { StoredContent, StoredEpisode, StoredUtterance } from "@laconic/core/run-folder";
import type { EpisodeKind, EpisodeQuery, EpisodeSummary, SpeechStep } from "../protocol.ts";
import { trainedCharges, type CostSettings } from "./episode-charges.ts";
import { gradeOf } from "./episode-detail.ts";
import { clipped, searchWords } from "./texts.ts";

/** An episode in the index. Tokens stay on disk. */
export interface ListedRow {
  readonly summary: EpisodeSummary;
  readonly agents: readonly AgentId[];
  /** Question, views, messages and answer in lower case. */
  readonly text: string;
}

interface PlayedEpisode {
  readonly problem: Problem;
  readonly episode: StoredEpisode;
  readonly utterances: readonly StoredUtterance[];
  readonly grade: number | null;
  readonly reward: number | null;
}

/** Searched prefix of a long text, in UTF-16 units. */
const maxSearched = 1_000_000;

export function keyPrefix(kind: EpisodeKind, step: number): string {
  return `${kind === "training" ? "s" : "e"}${step}`;
}

/** Evaluations follow their step. */
export function orderOf({ kind, step }: Pick<EpisodeSummary, "kind" | "step">): number {
  return 2 * step + (kind === "evaluation" ? 1 : 0);
}

/** Builds the rows of a record's episodes. @param shared - interned strings */
export function rowsOf(
  { kind, step }: Pick<EpisodeSummary, "kind" | "step">,
  content: StoredContent,
  shared: Map<string, string>,
): ListedRow[] {
  const share = (text: string): string => shared.get(text) ?? (shared.set(text, text), text);
  const namesOf = (turns: readonly StoredUtterance[]): AgentId[] => [
    ...new Set(turns.map(({ agent }) => share(agent))),
  ];
  return playedEpisodes(kind, content).map(({ problem, episode, utterances, grade, reward }, i) => {
    const { answer } = episode;
    const texts = [problem.question, ...Object.values(problem.views ?? {}), ...utterances.map(({ text }) => text)];
    if (typeof answer === "string" && texts.at(-1) !== answer) texts.push(answer);
    return {
      summary: {
        key: `${keyPrefix(kind, step)}.${i}`,
        kind,
        step,
        problem: share(problem.id),
        question: share(clipped(problem.question)),
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
  });
}

function playedEpisodes(kind: EpisodeKind, content: StoredContent): PlayedEpisode[] {
  const played = (number: number, problem: Problem | null | undefined): Omit<PlayedEpisode, "reward"> => {
    const episode = content.episodes[number];
    if (!episode || !problem) throw new Error(`there is no episode ${number} in it, or no problem of it`);
    const utterances = episode.utterances.flatMap((index) => content.utterances[index] ?? []);
    return { problem, episode, utterances, grade: numberOrNull(gradeOf(episode)) };
  };
  if (kind === "training")
    return (content.rollouts ?? []).map(({ group, episode, reward }) => ({
      ...played(episode, content.problems?.[group]),
      reward: numberOrNull(reward),
    }));
  return (content.played ?? []).map(({ problem, episode, task }) => ({
    ...played(episode, problem),
    grade: numberOrNull(task),
    reward: null,
  }));
}

function numberOrNull(value: unknown): number | null {
  return typeof value === "number" && !Number.isNaN(value) ? value : null;
}

export function speechOf(step: number, content: StoredContent, costs: CostSettings): SpeechStep {
  const episodes = playedEpisodes("training", content);
  const written = new Map<AgentId, number>();
  const turns = new Map<AgentId, { all: number; silent: number }>();
  for (const { episode, utterances } of episodes) {
    for (const { agent, writtenTokens } of episode.ledger.calls)
      written.set(agent, (written.get(agent) ?? 0) + writtenTokens);
    for (const { agent, silent } of utterances) {
      const sums = turns.get(agent) ?? { all: 0, silent: 0 };
      turns.set(agent, { all: sums.all + 1, silent: sums.silent + Number(silent) });
    }
  }
  const breakdowns = episodes.map(({ episode, utterances }, i) =>
    costBreakdown({ ledger: episode.ledger, utterances }, trainedCharges(content, i, costs)),
  );
  const count = Math.max(1, episodes.length);
  return {
    step,
    episodes: episodes.length,
    ...meanBreakdown(breakdowns),
    written: Object.fromEntries([...written].map(([agent, sum]) => [agent, sum / count])),
    silence: Object.fromEntries([...turns].map(([agent, { all, silent }]) => [agent, silent / all])),
    prices: Object.fromEntries(Object.entries(content.prices ?? {}).map(([name, price]) => [name, price ?? 0])),
  };
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

/** Descending and stable; rows without a value come last. */
export function mostFirst<T>(rows: readonly T[], valueOf: (row: T) => number | null): readonly T[] {
  const keys = Float64Array.from(rows, (row) => -(valueOf(row) ?? -Infinity));
  // Sorting plain numbers is ten times as fast.
  const sorted = keys.toSorted();
  const next = new Map<number, number>();
  for (let i = sorted.length - 1; i >= 0; i--) next.set(sorted[i] as number, i);
  const ordered = Array.from<T>({ length: rows.length });
  for (const [i, row] of rows.entries()) {
    const position = next.get(keys[i] as number) as number;
    next.set(keys[i] as number, position + 1);
    ordered[position] = row;
  }
  return ordered;
}
