import { randomUUID } from "node:crypto";
import { ledgerTotals, randomFromSeed, type Episode, type ToolFormat } from "@laconic/core";
import { tokenCounts } from "@laconic/core/ledger";
import type { Replies } from "../completer.ts";
import { calledChoice, chatUsage, plainChoice, type ChatUsage } from "../forms.ts";
import type { ServedTeam, ServerSettings } from "../options.ts";
import { TeamEpisode, type TeamStop } from "./team-episode.ts";
import type { TeamRequest } from "./team-request.ts";
import type { ResumedEpisode, WaitingEpisodes } from "./waiting-episodes.ts";

/** An episode, with the answers to its calls where it continues. */
type Playing = Pick<ResumedEpisode, "episode"> & Partial<ResumedEpisode>;

/** Plays an episode for each answer that a chat asks a team for, or continues the episode whose calls it answers. */
export function teamReplies(
  request: TeamRequest,
  team: ServedTeam,
  { now, waiting }: Pick<Required<ServerSettings>, "now"> & { readonly waiting: WaitingEpisodes },
): Replies {
  const { count, isStreamed, includesUsage, seed, answers, begun, offer } = request;
  const format = offer ? (team.tools ?? null) : null;
  return {
    count,
    isStreamed,
    async make(signal, send) {
      const head = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(now() / 1000), model: team.name };
      const chunkHead = { ...head, object: "chat.completion.chunk" };
      const random = randomFromSeed(seed);
      const begin = (): Playing[] =>
        Array.from({ length: count }, (_, index) => ({ episode: new TeamEpisode(team, request, random.split(index)) }));
      const playing: Playing[] = answers ? [waiting.take({ answers, begun })] : begin();
      try {
        const stops = await Promise.all(
          playing.map(async ({ episode, results }, index) => {
            const sendChoice = (choice: object, more: object = {}): void =>
              send?.({ ...chunkHead, choices: [{ index, logprobs: null, finish_reason: null, ...choice }], ...more });
            const stop = await episode.advance(
              signal,
              (said) => sendChoice({ delta: {} }, { laconic: said }),
              results && { results, tools: offer?.tools ?? [] },
            );
            const { message, finish_reason: reason } = choiceOf(stop, format);
            sendChoice({ delta: message }, stop.asked ? { laconic: { calls: stop.asked.agent } } : {});
            sendChoice({ delta: {}, finish_reason: reason });
            return stop;
          }),
        );
        const usage = usageOf(stops);
        for (const { episode } of playing) if (episode.asked) waiting.hold(episode, begun);
        if (includesUsage) send?.({ ...chunkHead, choices: [], usage });
        return {
          ...head,
          object: "chat.completion",
          choices: stops.map((stop, index) => ({
            index,
            ...choiceOf(stop, format),
            logprobs: null,
            laconic: { messages: stop.said, ...(stop.asked && { calls: stop.asked.agent }) },
          })),
          usage,
        };
      } catch (error) {
        for (const { episode } of playing) episode.end();
        throw error;
      }
    },
  };
}

function choiceOf({ asked, episode }: TeamStop, format: ToolFormat | null): ReturnType<typeof plainChoice> {
  if (asked) return calledChoice(asked.content, asked.calls);
  const { answer, outputs, stopReason } = episode as Episode;
  // Several answers are listed under their agents' names.
  const whole =
    answer ??
    Object.entries(outputs ?? {})
      .map(([agent, text]) => `${agent}: ${text}`)
      .join("\n");
  // A call that may not be made any more is no answer: tokens, texts or context are used up.
  const { content, calls } = format?.read(whole) ?? { content: whole, calls: [] };
  const isCut = stopReason === "truncated" || stopReason === "token_limit" || calls.length > 0;
  return plainChoice(content, isCut ? "length" : "stop");
}

/** OpenAI's sums of this request, and the ledger of its episodes so far. */
function usageOf(stops: readonly TeamStop[]): ChatUsage & { readonly laconic: object } {
  const totals = ledgerTotals({ calls: stops.flatMap(({ ledger }) => ledger) });
  return {
    ...chatUsage(tokenCounts(ledgerTotals({ calls: stops.flatMap(({ calls }) => calls) }))),
    laconic: {
      calls: totals.calls,
      read_tokens: totals.readTokens,
      written_by_agent: totals.writtenByAgent,
      read_by_agent: totals.readByAgent,
    },
  };
}
