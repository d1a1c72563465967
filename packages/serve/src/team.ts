import { randomUUID } from "node:crypto";
import { ledgerTotals, randomFromSeed, mapValues } from "@laconic/core";
import type { Episode, AgentId, Completion, LanguageModel, Random, Problem } from "@laconic/core";
import { samplingOfFields } from "@laconic/core/backends";
import { tokenCounts } from "@laconic/core/ledger";
import type { Replies } from "./completer.ts";
import { chatUsage, plainChoice, type ChatUsage } from "./forms.ts";
import type { ServedTeam, ServerSettings } from "./options.ts";
import { z } from "zod";
import { invalid } from "./http.ts";
import { parse } from "./parse.ts";
import { commonShape, textSchema } from "./schemas.ts";

interface Said {
  readonly agent: AgentId;
  readonly text: string;
  /** Includes the end token. */
  readonly tokens: number;
}

/**
 * Plays one episode per answer.
 * @param json - a chat without nulls
 * @throws HttpError 400 with the parameter; LaconicError `input_invalid` for an unusable question
 */
export function teamReplies(json: object, team: ServedTeam, now: Required<ServerSettings>["now"]): Replies {
  const request = requestOf(json, team);
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
          const onMessage = (utterance: Said): void => sendChoice({ delta: {} }, { laconic: utterance });
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
  { problem, sampling, maxTokens }: ReturnType<typeof requestOf>,
  random: Random,
  signal: AbortSignal,
  onMessage: (message: Said) => void,
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
    models: mapValues(models, (model, agent) => listened(agent, model)),
    sampling,
    random,
    isEvaluation: true,
    signal,
    ...(maxTokens !== null && { limits: { maxTokens } }),
  });
}

function choiceOf({ answer, outputs, stopReason }: Episode): ReturnType<typeof plainChoice> {
  // Several answers are labelled with their agents' names.
  const text =
    answer ??
    Object.entries(outputs ?? {})
      .map(([agent, output]) => `${agent}: ${output}`)
      .join("\n");
  return plainChoice(text, stopReason === "truncated" || stopReason === "token_limit" ? "length" : "stop");
}

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

const messageSchema = z.strictObject({
  role: z.literal("user", { error: "expected user: a team answers one question without a conversation" }),
  content: textSchema,
  /** Agent whose private view this is; the question has none. */
  name: z.string().min(1).exactOptional(),
});

const chatSchema = z.strictObject({
  ...commonShape,
  max_completion_tokens: z.int().min(1).exactOptional(),
  messages: z.array(messageSchema).min(1),
  // Clients send these with a value that has no effect.
  tools: z.array(z.unknown()).max(0, { error: "a team uses only its own tools; remove it" }).optional(),
  tool_choice: z.enum(["auto", "none"]).optional(),
});

function requestOf(json: object, team: ServedTeam) {
  const body = parse(chatSchema, json);
  const questions = body.messages.filter(({ name }) => name === undefined);
  if (questions.length !== 1)
    throw invalid(
      `expected one message without a name (the team's question), got ${questions.length}; name=AGENT sets an agent's private view`,
      "messages",
    );
  const question = questions[0]?.content ?? "";
  const views = viewsIn(body.messages, team);
  const { temperature, ...cuts } = samplingOfFields("openai-extended", body);
  return {
    problem:
      !views && team.problemOf
        ? team.problemOf(question)
        : { id: "asked", question, gold: "", ...(views && { views }) },
    sampling: { ...team.sampling, ...cuts, ...(body.temperature !== undefined && { temperature }) },
    /** Whole team per episode; null for the default. */
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? null,
    count: body.n ?? 1,
    seed: body.seed ?? randomUUID(),
    isStreamed: body.stream === true,
    includesUsage: body.stream_options?.include_usage === true,
  };
}

function viewsIn(
  messages: readonly z.output<typeof messageSchema>[],
  { name: team, topology: { agents } }: ServedTeam,
): Problem["views"] {
  const views = new Map<AgentId, string>();
  messages.forEach(({ name, content }, i) => {
    if (name === undefined) return;
    const location = `messages.${i}.name`;
    if (!agents.includes(name))
      throw invalid(
        `${location}: agent ${JSON.stringify(name)} not found in ${team}; available: ${agents.join(", ")}`,
        location,
      );
    if (views.has(name)) throw invalid(`${location}: ${name} already has a view`, location);
    views.set(name, content);
  });
  return views.size === 0 ? undefined : Object.fromEntries(views);
}
