import { randomUUID } from "node:crypto";
import {
  ledgerTotals,
  randomFromSeed,
  type Episode,
  type AgentId,
  type Completion,
  type LanguageModel,
  type Random,
} from "@laconic/core";
import { tokenCounts } from "@laconic/core/ledger";
import type { Replies } from "../completer.ts";
import { chatUsage, plainChoice, type ChatUsage } from "../forms.ts";
import type { ServedTeam, ServerSettings } from "../options.ts";
import type { TeamRequest } from "./team-request.ts";

/** A message of an agent, as an answer's `laconic` lists it. */
interface Said {
  readonly agent: AgentId;
  readonly text: string;
  /** Written tokens, the end token included. */
  readonly tokens: number;
}

/** Plays an episode for each answer that a chat asks a team for. */
export function teamReplies(
  request: TeamRequest,
  team: ServedTeam,
  { now }: Pick<Required<ServerSettings>, "now">,
): Replies {
  const { count, isStreamed, includesUsage, seed } = request;
  return {
    count,
    isStreamed,
    async make(signal, send) {
      const head = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(now() / 1000), model: team.name };
      const chunkHead = { ...head, object: "chat.completion.chunk" };
      const random = randomFromSeed(seed);
      const episodes = await Promise.all(
        Array.from({ length: count }, async (_, index) => {
          const sendChoice = (choice: object, more: object = {}): void =>
            send?.({ ...chunkHead, choices: [{ index, logprobs: null, finish_reason: null, ...choice }], ...more });
          const onMessage = (said: Said): void => sendChoice({ delta: {} }, { laconic: said });
          const episode = await play(team, request, random.split(index), signal, onMessage);
          const { message, finish_reason } = choiceOf(episode);
          sendChoice({ delta: message });
          sendChoice({ delta: {}, finish_reason });
          return episode;
        }),
      );
      const usage = usageOf(episodes);
      if (includesUsage) send?.({ ...chunkHead, choices: [], usage });
      return {
        ...head,
        object: "chat.completion",
        choices: episodes.map((episode, index) => ({
          index,
          ...choiceOf(episode),
          logprobs: null,
          laconic: {
            messages: episode.utterances.map(({ agent, text, writtenTokens }): Said => ({
              agent,
              text,
              tokens: writtenTokens,
            })),
          },
        })),
        usage,
      };
    },
  };
}

/** @param onMessage - called with each whole message */
function play(
  { topology, models }: ServedTeam,
  { problem, sampling, maxTokens }: TeamRequest,
  random: Random,
  signal: AbortSignal,
  onMessage: (said: Said) => void,
): Promise<Episode> {
  const listened = (agent: AgentId, model: LanguageModel): LanguageModel => ({
    id: model.id,
    async complete(request): Promise<Completion> {
      const completion = await model.complete(request);
      onMessage({ agent, text: completion.text, tokens: completion.usage.completionTokens });
      return completion;
    },
  });
  return topology.run(problem, {
    models: Object.fromEntries(Object.entries(models).map(([agent, model]) => [agent, listened(agent, model)])),
    sampling,
    random,
    signal,
    ...(maxTokens !== null && { limits: { maxTokens } }),
  });
}

function choiceOf({ answer, outputs, stopReason }: Episode): ReturnType<typeof plainChoice> {
  // Several answers are listed under their agents' names.
  const text =
    answer ??
    Object.entries(outputs ?? {})
      .map(([agent, output]) => `${agent}: ${output}`)
      .join("\n");
  return plainChoice(text, stopReason === "truncated" || stopReason === "token_limit" ? "length" : "stop");
}

/** OpenAI's sums, and the ledger of the episodes. */
function usageOf(episodes: readonly Episode[]): ChatUsage & { readonly laconic: object } {
  const totals = ledgerTotals({ calls: episodes.flatMap(({ ledger }) => ledger.calls) });
  return {
    ...chatUsage(tokenCounts(totals)),
    laconic: {
      calls: totals.calls,
      read_tokens: totals.readTokens,
      written_by_agent: totals.writtenByAgent,
      read_by_agent: totals.readByAgent,
    },
  };
}
