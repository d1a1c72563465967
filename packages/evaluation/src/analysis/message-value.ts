import { grouped } from "@laconic/core/numeric";
import type {
  Completion,
  Episode,
  EpisodeContext,
  LanguageModel,
  Observation,
  Problem,
  Topology,
  Utterance,
} from "@laconic/core";

/** Message with its effect on the score. */
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
  return valuesOf(topology, problem, context, judge, ({ observations = [] }) => {
    const read = observations.filter(({ text }) => text !== "");
    return read.map((observation, i) => {
      const { agent, turn, text, tokens } = observation;
      const position = read.slice(0, i).filter((earlier) => earlier.agent === agent).length;
      const alterObservation: EpisodeContext["alterObservation"] = (original, reader, index) =>
        reader === agent && index === position ? instead(observation) : original;
      return { message: { agent, turn, text, tokens }, altered: { ...context, alterObservation } };
    });
  });
}

/**
 * Replays an episode for each message with a reader, without it or its second half. All other random numbers stay
 * equal.
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
      const position = utterances.filter((other) => other.agent === agent && other.turn < turn).length;
      const models = { ...context.models, [agent]: altered(context.models[agent]!, position, cut) };
      return { message: { agent, turn, text, tokens }, altered: { ...context, models } };
    });
  });
}

async function valuesOf<Score>(
  topology: Topology,
  problem: Problem,
  context: EpisodeContext,
  judge: MessageJudge<Score>,
  alter: (episode: Episode) => readonly { message: Omit<MessageValue, "value">; altered: EpisodeContext }[],
): Promise<Valued<Score>> {
  const episode = await topology.run(problem, context);
  const score = await judge.score(episode);
  const whole = judge.valueOf(score);
  const values = await Promise.all(
    alter(episode).map(async ({ message, altered: changed }): Promise<MessageValue> => {
      const other = await topology.run(problem, changed);
      return { ...message, value: whole - judge.valueOf(await judge.score(other)) };
    }),
  );
  return { episode, score, values };
}

function altered(model: LanguageModel, position: number, cut: Cut): LanguageModel {
  let calls = 0;
  return {
    id: model.id,
    async complete(request) {
      const call = calls++;
      const completion = await model.complete(request);
      return call === position ? shortened(completion, cut) : completion;
    },
  };
}

/** Drops token ids and log-probs; the message is not trained. */
function shortened({ text, finishReason, usage, model }: Completion, cut: Cut): Completion {
  const characters = Array.from(text);
  const retained = cut === "drop" ? "" : characters.slice(0, Math.floor(characters.length / 2)).join("");
  const { reasoningTokens: reasoning = 0, ...rest } = usage;
  // A halved message keeps its reasoning; a removed one has none.
  const written = reasoning + Math.ceil((usage.completionTokens - reasoning) / 2);
  const cutUsage = cut === "drop" ? { ...rest, completionTokens: 0 } : { ...usage, completionTokens: written };
  return { text: retained, finishReason, usage: cutUsage, model };
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
