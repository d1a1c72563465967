import { inputError, mapValues, present } from "@laconic/core";
import type {
  AgentId,
  Completion,
  CompletionRequest,
  Episode,
  EpisodeContext,
  LanguageModel,
  Problem,
  Topology,
} from "@laconic/core";

/** Change of an episode that is played again. */
export interface EpisodeChange {
  /** Agents that are not called and say nothing. */
  readonly silent?: readonly AgentId[];
  /** Other texts of messages, by turn; an empty text leaves a message out. */
  readonly messages?: Readonly<Record<number, string>>;
  /** Replaces texts of observations, by index in the episode. */
  readonly observations?: Readonly<Record<number, string>>;
}

/** Played episode that can be played again with a change. */
export interface ReplayableEpisode {
  readonly episode: Episode;
  /** @throws LaconicError `input_invalid` for an unknown agent, turn or observation */
  replay(change: EpisodeChange): Promise<Episode>;
}

interface RecordedReplies {
  /** Replies in order, by agent. */
  readonly byAgent: Readonly<Record<AgentId, Completion[]>>;
  readonly byCall: Map<string, Completion>;
}

/**
 * Plays an episode and records its replies. A replay keeps a reply, token for token, if agent, prompt, sampling and
 * random numbers of the call are equal. Only other calls ask a model.
 */
export async function playReplayable(
  topology: Topology,
  problem: Problem,
  context: EpisodeContext,
): Promise<ReplayableEpisode> {
  const recorded: RecordedReplies = { byAgent: mapValues(context.models, () => []), byCall: new Map() };
  const models = mapValues(context.models, (model, agent) => recording(agent, model, recorded));
  const episode = await topology.run(problem, { ...context, models });
  return {
    episode,
    replay: async ({ silent = [], messages, observations }) => {
      for (const agent of silent)
        if (!Object.hasOwn(context.models, agent)) throw inputError(`a replay names the unknown agent "${agent}"`);
      const written = textsByPlace("turn", messages, episode.utterances);
      // An environment counts the observations of a reader that have a text.
      const read = textsByPlace("observation", observations, episode.observations, ({ text }) => text !== "");
      return topology.run(problem, {
        ...context,
        models: mapValues(context.models, (model, agent) =>
          silent.includes(agent) ? silentModel(model) : replaying(agent, model, recorded, written),
        ),
        alterObservation: (text, agent, position) =>
          read.get(`${agent}/${position}`) ?? context.alterObservation?.(text, agent, position) ?? text,
      });
    },
  };
}

/** Other texts by `AGENT/POSITION`, counted among the agent's. */
function textsByPlace<T extends { readonly agent: AgentId }>(
  name: string,
  texts: Readonly<Record<number, string>> = {},
  items: readonly T[] = [],
  isCounted: (item: T) => boolean = () => true,
): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(texts).map(([index, text]) => {
      const agent = items[Number(index)]?.agent;
      if (agent === undefined) throw inputError(`a replay names ${name} ${index}; the episode has ${items.length}`);
      const earlier = items.slice(0, Number(index)).filter((item) => item.agent === agent && isCounted(item));
      return [`${agent}/${earlier.length}`, text];
    }),
  );
}

function recording(agent: AgentId, model: LanguageModel, { byAgent, byCall }: RecordedReplies): LanguageModel {
  let calls = 0;
  return withComplete(model, async (request) => {
    const position = calls++;
    const completion = await model.complete(request);
    byAgent[agent]![position] = completion;
    byCall.set(callKey(agent, request), completion);
    return completion;
  });
}

function replaying(
  agent: AgentId,
  model: LanguageModel,
  { byAgent, byCall }: RecordedReplies,
  texts: ReadonlyMap<string, string>,
): LanguageModel {
  let calls = 0;
  return withComplete(model, async (request) => {
    const position = calls++;
    const text = texts.get(`${agent}/${position}`);
    const reply = byAgent[agent]?.[position];
    if (text !== undefined && reply) return rewritten(reply, text);
    return byCall.get(callKey(agent, request)) ?? model.complete(request);
  });
}

function withComplete({ id, supports }: LanguageModel, complete: LanguageModel["complete"]): LanguageModel {
  return { id, ...present({ supports }), complete };
}

function callKey(agent: AgentId, { prompt, sampling, random, ownReplies }: CompletionRequest): string {
  return JSON.stringify([agent, random, prompt, sampling, ownReplies]);
}

/** Without token ids: nothing trains on it. A shorter text keeps its reasoning and its share of the tokens. */
function rewritten({ text: before, finishReason, usage, model }: Completion, text: string): Completion {
  const { reasoningTokens: reasoning = 0, ...rest } = usage;
  if (text === "") return { text, finishReason, model, usage: { ...rest, completionTokens: 0 } };
  const share = text.length / Math.max(1, before.length);
  const written = reasoning + Math.ceil((usage.completionTokens - reasoning) * share);
  return { text, finishReason, model, usage: { ...usage, completionTokens: written } };
}

function silentModel({ id }: LanguageModel): LanguageModel {
  const usage = { promptTokens: 0, completionTokens: 0, counted: "model" } as const;
  return {
    id,
    complete: async () => ({ text: "", finishReason: "stop", usage, model: { id, weightVersion: 0 } }),
  };
}
