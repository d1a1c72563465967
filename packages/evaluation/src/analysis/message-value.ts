import { grouped } from "@laconic/core/numeric";
import type { Episode, EpisodeContext, Observation, Problem, Topology, Utterance } from "@laconic/core";
import { playReplayable, type EpisodeChange } from "@laconic/topologies";

/** Says how a message changes the score. */
export interface MessageValue {
  readonly agent: string;
  readonly turn: number;
  readonly text: string;
  /** Written tokens, including reasoning. */
  readonly tokens: number;
  /** Score with the message minus score without it. */
  readonly value: number;
}

/** Part of a message to remove: all, or the second half. */
export type Cut = "drop" | "halve";

/** Scores episodes. */
export interface MessageJudge<Score> {
  score(episode: Episode): Promise<Score>;
  /** NaN for a missing score. */
  valueOf(score: Score): number;
}

interface Valued<Score> {
  readonly episode: Episode;
  readonly score: Score;
  readonly values: readonly MessageValue[];
}

/**
 * Values each observation by a replay with another text, as {@link messageValues} does. `agent` is the reader, `turn`
 * the answered turn.
 * @param instead - replacement. Default: empty
 */
export async function observationValues<Score>(
  topology: Topology,
  problem: Problem,
  context: EpisodeContext,
  judge: MessageJudge<Score>,
  instead: (observation: Observation) => string = () => "",
): Promise<Valued<Score>> {
  return valuesOf(topology, problem, context, judge, ({ observations = [] }) =>
    Array.from(observations.entries())
      .filter(([, { text }]) => text !== "")
      .map(([index, observation]) => {
        const { agent, turn, text, tokens } = observation;
        return { message: { agent, turn, text, tokens }, change: { observations: { [index]: instead(observation) } } };
      }),
  );
}

/**
 * Replays an episode for each message with a reader, without it or its second half. Calls whose prompt stays equal keep
 * their reply.
 * @returns the whole episode, its score, and one value per message
 */
export async function messageValues<Score>(
  topology: Topology,
  problem: Problem,
  context: EpisodeContext,
  judge: MessageJudge<Score>,
  cut: Cut,
): Promise<Valued<Score>> {
  return valuesOf(topology, problem, context, judge, ({ utterances }) => {
    const read = utterances.filter(({ deliveredTo, silent }) => deliveredTo.length > 0 && !silent);
    return read.map(({ agent, turn, text, writtenTokens: tokens }) => {
      const characters = Array.from(text);
      const retained = cut === "drop" ? "" : characters.slice(0, Math.floor(characters.length / 2)).join("");
      return { message: { agent, turn, text, tokens }, change: { messages: { [turn]: retained } } };
    });
  });
}

async function valuesOf<Score>(
  topology: Topology,
  problem: Problem,
  context: EpisodeContext,
  judge: MessageJudge<Score>,
  changesOf: (episode: Episode) => readonly { message: Omit<MessageValue, "value">; change: EpisodeChange }[],
): Promise<Valued<Score>> {
  const { episode, replay } = await playReplayable(topology, problem, context);
  const score = await judge.score(episode);
  const whole = judge.valueOf(score);
  const values = await Promise.all(
    changesOf(episode).map(async ({ message, change }): Promise<MessageValue> => {
      const other = await replay(change);
      return { ...message, value: whole - judge.valueOf(await judge.score(other)) };
    }),
  );
  return { episode, score, values };
}

/** Mean message values. */
export interface ValueSummary {
  readonly messages: number;
  readonly tokens: number;
  readonly meanValue: number;
  readonly valuePerToken: number;
  /** Share of tokens in messages whose removal lowers the grade. */
  readonly usefulTokenRatio: number;
  /** Share of messages whose removal raises the grade. */
  readonly harmfulShare: number;
}

/** Summarises message values; zeros without messages. */
export function summariseValues(values: readonly MessageValue[]): ValueSummary {
  const tokens = values.reduce((sum, message) => sum + message.tokens, 0);
  const worth = values.reduce((sum, message) => sum + message.value, 0);
  const useful = values.filter(({ value }) => value > 0).reduce((sum, message) => sum + message.tokens, 0);
  return {
    messages: values.length,
    tokens,
    meanValue: values.length === 0 ? 0 : worth / values.length,
    valuePerToken: tokens === 0 ? 0 : worth / tokens,
    usefulTokenRatio: tokens === 0 ? 0 : useful / tokens,
    harmfulShare: values.length === 0 ? 0 : values.filter(({ value }) => value < 0).length / values.length,
  };
}

/** Frequent message, compared without numbers and names. */
export interface CommonMessage {
  readonly agent: string;
  /** Numbers as 0, single letters as x. */
  readonly form: string;
  readonly example: string;
  readonly share: number;
}

/** Most frequent messages of each agent. */
export function commonMessages(utterances: readonly Utterance[], most = 5): CommonMessage[] {
  const formed = utterances.map(({ agent, text, silent }) => {
    // Single letters are names, except a and i; so is a letter before a number.
    const form = silent ? "(silence)" : text.replaceAll(/\b[a-z](?=\d)|\b[b-hj-z]\b/giu, "x").replaceAll(/\d+/gu, "0");
    return { agent, form, example: silent ? "" : text };
  });
  return grouped(formed, ({ agent }) => agent).flatMap((all) =>
    grouped(all, ({ form }) => form)
      .toSorted((a, b) => b.length - a.length)
      .slice(0, most)
      .map((same) => ({ ...same[0], share: same.length / all.length })),
  );
}
