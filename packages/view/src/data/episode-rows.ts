import type { AgentId, Problem } from "@laconic/core";
import type { StoredContent, StoredUtterance } from "@laconic/core/run-folder";
import type { EpisodeKind, EpisodeSummary, SpeechStep } from "../protocol.ts";
import { gradeOf, trainedCharges, type CostSettings } from "./episode-detail.ts";
import type { ListedRow } from "./select.ts";
import { teamSpeech } from "./team-speech.ts";
import { clipped } from "./texts.ts";

/** UTF-16 units searched in a long text. */
const maxSearched = 1_000_000;

export function keyPrefix(kind: EpisodeKind, step: number): string {
  return `${kind === "training" ? "s" : "e"}${step}`;
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

function playedEpisodes(kind: EpisodeKind, content: StoredContent) {
  const played = (number: number, problem: Problem | null | undefined) => {
    const episode = content.episodes[number];
    if (!episode || !problem) throw new Error(`episode ${number} or its problem is missing`);
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
  const episodes = playedEpisodes("training", content).map(({ episode, utterances }, i) => ({
    ledger: episode.ledger,
    utterances,
    charges: trainedCharges(content, i, costs),
  }));
  const prices = Object.entries(content.prices ?? {}).map(([name, price]) => [name, price ?? 0]);
  return { step, episodes: episodes.length, ...teamSpeech(episodes), prices: Object.fromEntries(prices) };
}
