import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import {
  ledgerTotals,
  randomFromSeed,
  type AgentId,
  type Completion,
  type Episode,
  type LanguageModel,
} from "@laconic/core";
import { ClientGone } from "../client-gone.ts";
import type { Replies } from "../completer.ts";
import type { ServedTeam, ServerSettings } from "../options.ts";
import type { TeamRequest } from "./team-request.ts";

/** What an agent said, as an answer's `laconic` lists it. */
interface Said {
  readonly agent: AgentId;
  readonly text: string;
  /** Written, the end token included. */
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
    async make(gone, send) {
      setMaxListeners(0, gone.signal);
      const head = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(now() / 1000), model: team.name };
      const chunkHead = { ...head, object: "chat.completion.chunk" };
      const random = randomFromSeed(seed);
      try {
        const episodes = await Promise.all(
          Array.from({ length: count }, async (_, index) => {
            const sendChoice = (choice: object, more: object = {}): void =>
              send?.({ ...chunkHead, choices: [{ index, logprobs: null, finish_reason: null, ...choice }], ...more });
            const episode = await team.topology.run(request.problem, {
              models: heard(team.models, (said) => sendChoice({ delta: {} }, { laconic: said })),
              sampling: request.sampling,
              random: random.split(index),
              signal: gone.signal,
              ...(request.maxTokens !== null && { limits: { maxTokens: request.maxTokens } }),
            });
            const { message, finish_reason: reason } = choiceOf(episode);
            sendChoice({ delta: message });
            sendChoice({ delta: {}, finish_reason: reason });
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
            laconic: { messages: episode.utterances.map((each) => saidBy(each.agent, each.text, each.writtenTokens)) },
          })),
          usage,
        };
      } catch (error) {
        throw gone.signal.aborted ? new ClientGone(error) : error;
      } finally {
        gone.abort();
      }
    },
  };
}

const saidBy = (agent: AgentId, text: string, tokens: number): Said => ({ agent, text, tokens });

/** The same models, which tell of each reply when it is whole. */
function heard(models: ServedTeam["models"], hear: (said: Said) => void): Readonly<Record<AgentId, LanguageModel>> {
  const listened = ([agent, model]: [AgentId, LanguageModel]): [AgentId, LanguageModel] => [
    agent,
    {
      id: model.id,
      async complete(request): Promise<Completion> {
        const completion = await model.complete(request);
        hear(saidBy(agent, completion.text, completion.usage.completionTokens));
        return completion;
      },
    },
  ];
  return Object.fromEntries(Object.entries(models).map(listened));
}

function choiceOf({ answer, outputs, stopReason }: Episode): {
  readonly message: object;
  readonly finish_reason: string;
} {
  // Where several answer, each text stands under its agent's name.
  const content =
    answer ??
    Object.entries(outputs ?? {})
      .map(([agent, text]) => `${agent}: ${text}`)
      .join("\n");
  const isCut = stopReason === "truncated" || stopReason === "token_limit";
  return { message: { role: "assistant", content, refusal: null }, finish_reason: isCut ? "length" : "stop" };
}

/** OpenAI's sums, and the ledger's: who wrote and read how much of what was said. */
function usageOf(episodes: readonly Episode[]): Record<string, unknown> {
  const totals = ledgerTotals({ calls: episodes.flatMap(({ ledger }) => ledger.calls) });
  const { promptTokens, writtenTokens } = totals;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: writtenTokens,
    total_tokens: promptTokens + writtenTokens,
    laconic: {
      calls: totals.calls,
      read_tokens: totals.readTokens,
      written_by_agent: totals.writtenByAgent,
      read_by_agent: totals.readByAgent,
    },
  };
}
