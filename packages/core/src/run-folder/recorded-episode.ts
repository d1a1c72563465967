import type { Episode, Utterance } from "../episode/episode.ts";
import type { Problem } from "../problem.ts";
import { unpackNumbers } from "./packed-numbers.ts";
import type { StoredContent, StoredScore, StoredTerms } from "./stored-step.ts";

/** Episode of an evaluation or of training with its result. */
export interface RecordedEpisode {
  readonly step: number;
  readonly problem: Problem;
  readonly episode: Episode;
  /** Only in training; null if the reward does not apply. */
  readonly reward?: number | null;
  readonly terms?: StoredTerms;
  readonly score?: StoredScore | null;
  /** NaN if missing. */
  readonly task?: number;
}

/**
 * A step's or evaluation's episodes with utterances and traces.
 * @throws Error naming missing content
 */
export function recordedEpisodes(step: number, content: StoredContent): RecordedEpisode[] {
  const utterances = utterancesIn(content);
  const of = (number: number): { readonly episode: Episode; readonly score?: StoredScore | null } => {
    const storedEpisode = content.episodes[number];
    if (!storedEpisode) throw new Error(`episode ${number} is missing`);
    const { utterances: numbers, score, ...rest } = storedEpisode;
    const turns = numbers.map((value) => {
      const utterance = utterances[value];
      if (!utterance) throw new Error(`utterance ${value} is missing`);
      return utterance;
    });
    return { episode: { ...rest, utterances: turns }, ...(score !== undefined && { score }) };
  };
  if (content.played)
    return content.played.map(({ problem, episode, task }) => ({
      step,
      problem,
      ...of(episode),
      task: task ?? NaN,
    }));
  return (content.rollouts ?? []).map(({ group, episode, reward, terms }) => {
    const problem = content.problems?.[group];
    if (!problem) throw new Error(`problem ${group} is missing`);
    return { step, problem, ...of(episode), reward, terms };
  });
}

function utterancesIn({ utterances, sampledLogProbs }: StoredContent): Utterance[] {
  const logProbs = unpackNumbers(sampledLogProbs);
  let index = 0;
  return utterances.map(({ promptTokens, tokens, prompt = "", ...rest }) => {
    if (!tokens) return { ...rest, prompt };
    const values = Array.from(logProbs.subarray(index, index + tokens.length));
    index += tokens.length;
    return { ...rest, prompt, trace: { promptTokens: promptTokens ?? [], tokens, logProbs: values } };
  });
}
