import type { Episode, EpisodeReward, Utterance } from "@laconic/core";
import { callTokens } from "@laconic/core/ledger";
import type { RecordedCall } from "./rollout-record.ts";

/** A rollout with its reward: what waits to be trained. Plain data, as the journal has it. */
export interface FinishedRollout {
  readonly id: string;
  readonly group: string;
  readonly episode: Episode;
  readonly reward: EpisodeReward;
  /** Steps done when its first and its last reply were sampled. */
  readonly steps: readonly [first: number, last: number];
  /** Prompts by how they stand to earlier turns. */
  readonly kinds: Readonly<Record<string, number>>;
}

/** How a validation rollout did. */
export interface Validated {
  /** Steps done when its last reply was sampled. */
  readonly step: number;
  /** As accuracy counts it: the reward's score, else its grade, else the sum of its terms. */
  readonly score: number;
}

/** An open rollout with its reward. */
export function finished(
  { id, calls }: { readonly id: string; readonly calls: readonly RecordedCall[] },
  group: string,
  reward: EpisodeReward,
  answer: string | null | undefined,
): FinishedRollout {
  const steps = calls.map(({ step }) => step);
  const kinds: Record<string, number> = {};
  for (const { kind } of calls) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return {
    id,
    group,
    reward,
    kinds,
    episode: episodeOf(calls, { problemId: group, answer }),
    steps: [Math.min(...steps), Math.max(...steps)],
  };
}

/** What validation keeps of a rollout. */
export function validated({ reward: { team, score }, steps }: FinishedRollout): Validated {
  const sum = Object.values(team).reduce((total, term) => total + term, 0);
  return { step: steps[1], score: score ?? team["task"] ?? sum };
}

/**
 * A rollout as an episode: each reply an utterance, in the order in which they were made. Who reads whom is the harness's own
 * affair: deliveries and reads are empty, so that costs count what is written, and never what is read.
 * @param answer - as the harness gives it; the last reply when undefined
 */
export function episodeOf(
  calls: readonly RecordedCall[],
  { problemId, answer }: { readonly problemId: string; readonly answer: string | null | undefined },
): Episode {
  const rounds = new Map<string, number>();
  const utterances = calls.map(({ agent, prompt, completion }, turn): Utterance => {
    const round = rounds.get(agent) ?? 0;
    rounds.set(agent, round + 1);
    const { text, finishReason, model, usage, trace } = completion;
    return {
      agent,
      turn,
      round,
      prompt,
      text,
      finishReason,
      model,
      silent: text === "",
      writtenTokens: usage.completionTokens,
      deliveredTo: [],
      ...(trace && { trace }),
    };
  });
  const finalAnswer = answer === undefined ? (utterances.at(-1)?.text ?? null) : answer;
  const notes = calls.some(({ kind }) => kind === "rerendered") ? ["rerendered"] : [];
  return {
    problemId,
    topology: "gateway",
    utterances,
    answer: finalAnswer,
    ...(notes.length > 0 && { notes }),
    stopReason: finalAnswer === null ? "no_answer" : "answered",
    ledger: {
      calls: calls.map(({ agent, completion }, turn) => ({
        turn,
        round: utterances[turn]?.round ?? 0,
        agent,
        ...callTokens(completion.usage),
        reads: [],
      })),
    },
  };
}
