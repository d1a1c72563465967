import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { ledgerTotals, randomFromSeed, type Episode, type ToolFormat } from "@laconic/core";
import { tokenCounts } from "@laconic/core/ledger";
import { chatUsage, type ChatUsage } from "../chat-usage.ts";
import { ClientGone } from "../client-gone.ts";
import type { Replies } from "../completer.ts";
import { calledChoice, plainChoice } from "../forms.ts";
import type { ServedTeam, ServerSettings } from "../options.ts";
import { TeamEpisode, type TeamStop } from "./team-episode.ts";
import type { TeamRequest } from "./team-request.ts";
import type { ResumedEpisode, WaitingEpisodes } from "./waiting-episodes.ts";

/** One that goes on has results. */
type Playing = Pick<ResumedEpisode, "episode"> & Partial<ResumedEpisode>;

/** Where the replies of teams are made. */
type TeamPlace = Pick<Required<ServerSettings>, "now"> & { readonly waiting: WaitingEpisodes };

/** Plays an episode for each answer that a chat asks a team for, or on with the one whose calls it answers. */
export function teamReplies(request: TeamRequest, team: ServedTeam, { now, waiting }: TeamPlace): Replies {
  const { count, isStreamed, includesUsage, seed, answers, begun, offer } = request;
  const format = offer ? (team.tools ?? null) : null;
  return {
    count,
    isStreamed,
    async make(gone, send) {
      setMaxListeners(0, gone.signal);
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
              gone.signal,
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
        throw gone.signal.aborted ? new ClientGone(error) : error;
      } finally {
        gone.abort();
      }
    },
  };
}

function choiceOf({ asked, episode }: TeamStop, format: ToolFormat | null): ReturnType<typeof plainChoice> {
  if (asked) return calledChoice(asked.content, asked.calls);
  const { answer, outputs, stopReason } = episode as Episode;
  // Where several answer, each text stands under its agent's name.
  const whole =
    answer ??
    Object.entries(outputs ?? {})
      .map(([agent, text]) => `${agent}: ${text}`)
      .join("\n");
  // A call that nobody may make any more is no answer: tokens, texts or context were used up.
  const { content, calls } = format?.read(whole) ?? { content: whole, calls: [] };
  const isCut = stopReason === "truncated" || stopReason === "token_limit" || calls.length > 0;
  return plainChoice(content, isCut ? "length" : "stop");
}

/** OpenAI's sums of this request, and the ledger of its episodes so far: who wrote and read how much of what was said. */
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
