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

/** A message, and its effect on the score. */
export interface MessageValue {
  readonly agent: string;
  readonly turn: number;
  readonly text: string;
  /** Tokens written for the message, reasoning included. */
  readonly tokens: number;
  /** Score with the message minus the score without it. */
  readonly value: number;
}

/** Whether a message is left out, or its second half. */
export type Cut = "drop" | "halve";

/** How episodes are judged: each is scored once. */
export interface MessageJudge<Score> {
  score(episode: Episode): Promise<Score>;
  /** The score as a number; NaN for a missing score. */
  valueOf(score: Score): number;
}

interface Valued<Score> {
  readonly episode: Episode;
  readonly score: Score;
  readonly values: readonly MessageValue[];
}

/**
 * The value of each observation to its reader: the episode is played again without it, or with another text in its place. Else as
 * {@link messageValues}. `agent` is the reader, `turn` the turn that the environment answered.
 * @param instead - replaces an observation; nothing by default
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
 * Plays an episode again for each message with a reader, without it or without its second half. Everything else draws
 * the same random numbers, so that a difference is the message's.
 * @returns the whole episode, its score, and a value for each message in the order of its utterances
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
      const models = { ...context.models, [agent]: altered(context.models[agent] as LanguageModel, position, cut) };
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

/** A model whose reply of one call, counted from 0, is cut. */
function altered(model: LanguageModel, position: number, cut: Cut): LanguageModel {
  let calls = 0;
  return {
    id: model.id,
    async complete(request) {
      const own = calls++;
      const completion = await model.complete(request);
      return own === position ? shortened(completion, cut) : completion;
    },
  };
}

/** Without token ids and log-probs: it is not for training. */
function shortened({ text, finishReason, usage, model }: Completion, cut: Cut): Completion {
  const characters = Array.from(text);
  const kept = cut === "drop" ? "" : characters.slice(0, Math.floor(characters.length / 2)).join("");
  const { reasoningTokens: reasoning = 0, ...rest } = usage;
  // A shorter message takes the same reasoning; a message that is left out takes none.
  const written = reasoning + Math.ceil((usage.completionTokens - reasoning) / 2);
  const cutUsage = cut === "drop" ? { ...rest, completionTokens: 0 } : { ...usage, completionTokens: written };
  return { text: kept, finishReason, usage: cutUsage, model };
}

/** Mean values of many messages. */
export interface ValueSummary {
  readonly messages: number;
  readonly tokens: number;
  readonly meanValue: number;
  readonly valuePerToken: number;
  /** Share of tokens in messages whose loss lowers the grade. */
  readonly usefulTokenRatio: number;
  /** Share of messages whose loss raises it. */
  readonly harmfulShare: number;
}

/** Summarises messages; zeros without any. */
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

/** A frequent message, compared without values and names. */
export interface CommonMessage {
  readonly agent: string;
  /** Numbers as 0, single letters as x. */
  readonly form: string;
  readonly example: string;
  readonly share: number;
}

/** A letter alone, or before a number, is a name of the problem; a and i are words. */
function formOf(text: string): string {
  return text.replaceAll(/\b[a-z](?=\d)|\b[b-hj-z]\b/giu, "x").replaceAll(/\d+/gu, "0");
}

/** The most frequent messages of each agent. */
export function commonMessages(utterances: readonly Utterance[], most = 5): CommonMessage[] {
  const byAgent = new Map<string, Map<string, { count: number; example: string }>>();
  for (const { agent, text, silent } of utterances) {
    const form = silent ? "(silence)" : formOf(text);
    const forms = byAgent.get(agent) ?? new Map<string, { count: number; example: string }>();
    byAgent.set(agent, forms);
    const known = forms.get(form);
    if (known) known.count++;
    else forms.set(form, { count: 1, example: silent ? "" : text });
  }
  return [...byAgent].flatMap(([agent, forms]) => {
    const all = [...forms.values()].reduce((sum, { count }) => sum + count, 0);
    return [...forms]
      .toSorted(([, a], [, b]) => b.count - a.count)
      .slice(0, most)
      .map(([form, { count, example }]) => ({ agent, form, example, share: count / all }));
  });
}
