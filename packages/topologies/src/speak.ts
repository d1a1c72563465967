import {
  type AgentId,
  type Completion,
  type EpisodeContext,
  inputError,
  LaconicError,
  type OwnReply,
  type Prompt,
  shownValue,
  present,
} from "@laconic/core";
import { checkValue } from "@laconic/core/checks";
import { callTokens, isConsistentUsage } from "@laconic/core/ledger";
import { act } from "./act.ts";
import type { SpeakRequest, Turn } from "./turn.ts";

/**
 * Asks an agent's model and records the turn.
 * @throws LaconicError `input_invalid` for a missing model, `reply_malformed` for inconsistent token counts, and model
 * errors
 */
export async function speak(context: EpisodeContext, request: SpeakRequest): Promise<Turn> {
  const { environment } = context;
  return environment ? act(context, environment, request, speakOnce) : speakOnce(context, request);
}

async function speakOnce(context: EpisodeContext, request: SpeakRequest, step = 0): Promise<Turn> {
  const { agent, turn, round, prompt, inbox, maxTokens, temperature, stop } = request;
  const ownReplies = ownRepliesOf(request);
  const started = context.clock?.();
  const completion = await modelOf(context, agent).complete({
    prompt,
    sampling: {
      ...context.sampling,
      maxTokens,
      ...present({ temperature, stop }),
    },
    random: context.random.split(step === 0 ? `turn:${turn}` : `turn:${turn}/step:${step}`).state(),
    ...present({ signal: context.signal }),
    ...(request.speaksAgain && { conversation: `${context.random.state().join("-")}/${agent}` }),
    ...(ownReplies.length > 0 && { ownReplies }),
  });
  const seconds = started === undefined || !context.clock ? undefined : (context.clock() - started) / 1000;
  const of = { name: `agent "${agent}": its model`, value: "actor" };
  checkValue(of, completion, lacksOfCompletion);
  checkUsage(agent, turn, completion);
  const { text, finishReason, usage, model, trace } = completion;
  const silent = text === "" || (request.pass !== undefined && text.trim() === request.pass.trim());
  return {
    utterance: {
      agent,
      turn,
      round,
      prompt: (request.renderPrompt ?? defaultRendering)(prompt),
      text,
      silent,
      writtenTokens: usage.completionTokens,
      deliveredTo: [],
      finishReason,
      model,
      ...(trace && { trace }),
    },
    call: {
      turn,
      round,
      agent,
      ...callTokens(usage),
      reads: inbox
        .filter((received) => !received.silent)
        .map((received) => ({ from: received.from, turn: received.turn, tokens: received.tokens })),
      ...present({ seconds }),
    },
    message: {
      from: agent,
      turn,
      round,
      text: silent ? "" : text,
      tokens: silent ? 0 : deliveredTokens(completion),
      silent,
    },
  };
}

/** Only chats contain earlier replies as messages. */
function ownRepliesOf({ agent, prompt, earlier = [], replies = [] }: SpeakRequest): OwnReply[] {
  if (prompt.kind !== "messages") return [];
  const before = earlier.flatMap(({ utterance: { agent: from, text, trace } }) =>
    from === agent && trace ? [{ text, tokens: trace.tokens }] : [],
  );
  return [...before, ...replies];
}

function lacksOfCompletion(input: unknown): string | null {
  const { text, usage, model, finishReason } = (input ?? {}) as Partial<Record<keyof Completion, unknown>>;
  if (typeof text !== "string") return `gave ${shownValue(input)}, whose text is ${shownValue(text)}`;
  if (typeof usage !== "object" || usage === null) return `gave a reply whose usage is ${shownValue(usage)}`;
  if (typeof model !== "object" || model === null) return `gave a reply whose model is ${shownValue(model)}`;
  return typeof finishReason === "string" ? null : `gave a reply whose finishReason is ${shownValue(finishReason)}`;
}

/** @throws LaconicError `input_invalid` for a missing model */
export function modelOf(context: EpisodeContext, agent: AgentId): EpisodeContext["models"][AgentId] {
  const model = context.models[agent];
  if (!model) throw inputError(`context.models has no model for agent "${agent}"`, { agent });
  return model;
}

/** Excludes reasoning and the end token. */
function deliveredTokens({ usage, finishReason }: Completion): number {
  const endTokens = usage.counted === "model" && finishReason === "stop" ? 1 : 0;
  return Math.max(0, usage.completionTokens - (usage.reasoningTokens ?? 0) - endTokens);
}

function checkUsage(agent: AgentId, turn: number, { usage, trace }: Completion): void {
  const traced = trace?.tokens.length ?? usage.completionTokens;
  if (isConsistentUsage(usage) && traced === usage.completionTokens) return;
  throw new LaconicError(
    "reply_malformed",
    `turn ${turn} of agent "${agent}": usage says ${usage.promptTokens} prompt and ${usage.completionTokens} written ` +
      `tokens, the trace has ${traced}; a model must report what it wrote`,
    {
      agent,
      turn,
      promptTokens: usage.promptTokens,
      writtenTokens: usage.completionTokens,
      tracedTokens: traced,
    },
  );
}

function defaultRendering(prompt: Prompt): string {
  if (prompt.kind === "text") return prompt.text;
  if (prompt.kind === "tokens") return prompt.tokens.join(" ");
  return prompt.messages.map(({ role, content }) => `[${role}]\n${content}`).join("\n\n");
}
