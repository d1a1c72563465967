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

/** What an episode is worth without one of its messages. */
export interface MessageValue {
  readonly agent: string;
  readonly turn: number;
  readonly text: string;
  /** Tokens written for the message, reasoning included. */
  readonly tokens: number;
  /** Score with the message less the score without it. */
  readonly value: number;
}

/** What is done to a message: it is left out, or its second half is. */
export type Cut = "drop" | "halve";

/** How episodes are judged: each is scored once. */
export interface MessageJudge<Score> {
  score(episode: Episode): Promise<Score>;
  /** The score as a number; what a message is worth is in its units. NaN where it has none. */
  valueOf(score: Score): number;
}

/**
 * What each observation was worth to its reader: the episode is played again without it, or with another text in its place. Else as
 * {@link messageValues}. `agent` is the reader, `turn` the turn that the environment answered.
 * @param instead - of an observation; nothing by default
 */
export async function observationValues<Score>(
  topology: Topology,
  problem: Problem,
  context: EpisodeContext,
  judge: MessageJudge<Score>,
  instead: (observation: Observation) => string = () => "",
): Promise<{ readonly episode: Episode; readonly score: Score; readonly values: readonly MessageValue[] }> {
  const episode = await topology.run(problem, context);
  const score = await judge.score(episode);
  const whole = judge.valueOf(score);
  const read = (episode.observations ?? []).filter(({ text }) => text !== "");
  const values = await Promise.all(
    read.map(async (observation, i): Promise<MessageValue> => {
      const { agent, turn, text, tokens } = observation;
      const position = read.slice(0, i).filter((each) => each.agent === agent).length;
      const alterObservation: EpisodeContext["alterObservation"] = (given, reader, at) =>
        reader === agent && at === position ? instead(observation) : given;
      const other = await topology.run(problem, { ...context, alterObservation });
      return { agent, turn, text, tokens, value: whole - judge.valueOf(await judge.score(other)) };
    }),
  );
  return { episode, score, values };
}

/**
 * Plays an episode again for each message that somebody read, without it or without its second half. Everything else draws
 * the same random numbers, so that a difference is the message's.
 * @returns the whole episode, its score, and a value for each message in the order of its utterances
 */
export async function messageValues<Score>(
  topology: Topology,
  problem: Problem,
  context: EpisodeContext,
  judge: MessageJudge<Score>,
  cut: Cut,
): Promise<{ readonly episode: Episode; readonly score: Score; readonly values: readonly MessageValue[] }> {
  const episode = await topology.run(problem, context);
  const score = await judge.score(episode);
  const whole = judge.valueOf(score);
  const read = episode.utterances.filter(({ deliveredTo, silent }) => deliveredTo.length > 0 && !silent);
  const values = await Promise.all(
    read.map(async ({ agent, turn, text, writtenTokens }): Promise<MessageValue> => {
      const position = episode.utterances.filter((each) => each.agent === agent && each.turn < turn).length;
      const models = { ...context.models, [agent]: altered(context.models[agent] as LanguageModel, position, cut) };
      const other = await topology.run(problem, { ...context, models });
      return { agent, turn, text, tokens: writtenTokens, value: whole - judge.valueOf(await judge.score(other)) };
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

/** Without its trace: nobody trains on what nobody wrote. */
function shortened({ text, finishReason, usage, model }: Completion, cut: Cut): Completion {
  const characters = Array.from(text);
  const kept = cut === "drop" ? "" : characters.slice(0, Math.floor(characters.length / 2)).join("");
  const { reasoningTokens: reasoning = 0, ...rest } = usage;
  // A shorter message takes the same reasoning; a message that is left out takes none.
  const written = reasoning + Math.ceil((usage.completionTokens - reasoning) / 2);
  const cutUsage = cut === "drop" ? { ...rest, completionTokens: 0 } : { ...usage, completionTokens: written };
  return { text: kept, finishReason, usage: cutUsage, model };
}

/** Values of many messages in one line each. */
export interface ValueSummary {
  readonly messages: number;
  readonly tokens: number;
  /** Mean change of the grade by a message. */
  readonly meanValue: number;
  readonly valuePerToken: number;
  /** Share of tokens in messages whose loss lowers the grade. */
  readonly usefulTokenRatio: number;
  /** Share of messages whose loss raises it. */
  readonly harmfulShare: number;
}

/** Sums up many messages; zeros where there are none. */
export function summariseValues(values: readonly MessageValue[]): ValueSummary {
  const tokens = values.reduce((sum, each) => sum + each.tokens, 0);
  const worth = values.reduce((sum, each) => sum + each.value, 0);
  const useful = values.filter(({ value }) => value > 0).reduce((sum, each) => sum + each.tokens, 0);
  return {
    messages: values.length,
    tokens,
    meanValue: values.length === 0 ? 0 : worth / values.length,
    valuePerToken: tokens === 0 ? 0 : worth / tokens,
    usefulTokenRatio: tokens === 0 ? 0 : useful / tokens,
    harmfulShare: values.length === 0 ? 0 : values.filter(({ value }) => value < 0).length / values.length,
  };
}

/** A message that is said often, with values and names left out of what it is compared by. */
export interface CommonMessage {
  readonly agent: string;
  /** Numbers as 0, single letters as x. */
  readonly form: string;
  readonly example: string;
  readonly share: number;
}

/** A letter alone, or before a number, is a name that a problem gave; a and i are words. */
function formOf(text: string): string {
  return text.replaceAll(/\b[a-z](?=\d)|\b[b-hj-z]\b/giu, "x").replaceAll(/\d+/gu, "0");
}

/** What each agent says most: the protocol that a team has come to. */
export function commonMessages(utterances: readonly Utterance[], most = 5): CommonMessage[] {
  const byAgent = new Map<string, Map<string, { count: number; example: string }>>();
  for (const { agent, text, silent } of utterances) {
    const form = silent ? "(silence)" : formOf(text);
    const forms = byAgent.get(agent) ?? new Map<string, { count: number; example: string }>();
    byAgent.set(agent, forms);
    const found = forms.get(form);
    if (found) found.count++;
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
