import type { Completion, DrawnToken, FinishReason, LogProbsAtOne, Tokenizer } from "@laconic/core";
import type { TokenCounts } from "@laconic/core/ledger";

/** The model's own, or at the sampling temperature, in vLLM's terms. */
export type LogProbMode = "raw_logprobs" | "processed_logprobs";

/** Null if unknown. */
export type WireReason = "stop" | "length" | "content_filter" | "tool_calls" | null;

export const wireReasons: Readonly<Record<FinishReason, WireReason>> = {
  stop: "stop",
  length: "length",
  refusal: "content_filter",
  unknown: null,
};

/** Tool call in a reply. */
export interface CalledTool {
  readonly id: string;
  readonly name: string;
  /** JSON as the model wrote it. */
  readonly arguments: string;
}

export type ReadReply = (completion: Completion) => { readonly content: string; readonly calls: readonly CalledTool[] };

export interface ReplyShape {
  readonly logProbs: LogProbMode | null;
  readonly tokenIds: boolean;
  readonly readReply?: ReadReply;
  readonly stop: readonly string[];
}

export interface Choice {
  readonly index: number;
  readonly completion: Completion;
  readonly tokenizer: Tokenizer;
  readonly shape: ReplyShape;
  readonly echo?: EchoedPrompt;
  readonly withoutReply?: boolean;
}

export interface EchoedPrompt {
  readonly text: string;
  /** Log-probs are null for the first token, and if none were requested. */
  readonly listed: readonly { readonly token: number; readonly atOne: LogProbsAtOne | null }[];
}

export interface Piece {
  readonly index: number;
  readonly text: string;
  readonly tokens: readonly ListedToken[];
  readonly shape: ReplyShape;
}

export interface ReplyForm {
  readonly prefix: string;
  readonly object: string;
  readonly chunkObject: string;
  whole(choice: Choice): Record<string, unknown>;
  text(text: string): object;
  logProbs(tokens: readonly ListedToken[]): unknown;
}

export function chunkOf({ text: textOf, logProbs: logProbsOf }: ReplyForm, piece: Piece): Record<string, unknown> {
  const { index, text, tokens, shape } = piece;
  return {
    index,
    ...textOf(text),
    logprobs: shape.logProbs ? logProbsOf(tokens) : null,
    finish_reason: null,
    ...(shape.tokenIds && { token_ids: tokens.map(({ id }) => id) }),
  };
}

export interface ListedToken {
  readonly id: number;
  readonly text: string;
  readonly logProb: number;
  /** Descending, for this position. */
  readonly top: readonly { readonly text: string; readonly logProb: number }[];
}

export function listToken(tokenizer: Tokenizer, { token, logProb, atOne }: DrawnToken, mode: LogProbMode): ListedToken {
  const raw = mode === "raw_logprobs" ? atOne : undefined;
  return {
    id: token,
    text: tokenizer.decode([token]),
    logProb: raw?.logProb ?? logProb,
    top: (raw?.top ?? []).map((likely) => ({ text: tokenizer.decode([likely.token]), logProb: likely.logProb })),
  };
}

function listed({ completion: { trace }, tokenizer }: Choice, mode: LogProbMode): ListedToken[] {
  return (trace?.tokens ?? []).map((token, i) => {
    const { logProbs, atOne } = trace!;
    const row = atOne?.[i];
    return listToken(tokenizer, { token, logProb: logProbs[i]!, ...(row && { atOne: row }) }, mode);
  });
}

const chatLogProb = ({ text, logProb }: Pick<ListedToken, "text" | "logProb">): Record<string, unknown> => ({
  token: text,
  logprob: logProb,
  bytes: [...Buffer.from(text)],
});

const chatLogProbs = (tokens: readonly ListedToken[]): unknown => ({
  content: tokens.map((token) => ({ ...chatLogProb(token), top_logprobs: token.top.map(chatLogProb) })),
  refusal: null,
});

/** OpenAI lists the most likely tokens and the sampled one. */
function likeliest({ text, logProb, top }: ListedToken): Record<string, number> {
  const byText = new Map<string, number>();
  // Several tokens can have the same text.
  for (const likely of [...top, { text, logProb }])
    byText.set(likely.text, Math.max(likely.logProb, byText.get(likely.text) ?? -Infinity));
  return Object.fromEntries(byText);
}

interface Unpredicted {
  readonly text: string;
  readonly logProb: null;
}

function textLogProbs(tokens: readonly (ListedToken | Unpredicted)[]): unknown {
  let offset = 0;
  const offsets = tokens.map(({ text }) => {
    offset += text.length;
    return offset - text.length;
  });
  const predicted = tokens.filter((token) => token.logProb !== null);
  return {
    tokens: tokens.map(({ text }) => text),
    token_logprobs: tokens.map(({ logProb }) => logProb),
    text_offset: offsets,
    top_logprobs: predicted.some(({ top }) => top.length > 0)
      ? tokens.map((token) => (token.logProb === null ? null : likeliest(token)))
      : null,
  };
}

function echoedTokens({ echo, tokenizer }: Choice): (ListedToken | Unpredicted)[] {
  return (echo?.listed ?? []).map(({ token, atOne }) =>
    atOne
      ? listToken(tokenizer, { token, logProb: atOne.logProb, atOne }, "raw_logprobs")
      : { text: tokenizer.decode([token]), logProb: null },
  );
}

interface WireMessage {
  readonly message: object;
  readonly finish_reason: WireReason;
}

export function plainChoice(content: string, finish_reason: WireReason): WireMessage {
  return { message: { role: "assistant", content, refusal: null }, finish_reason };
}

function calledChoice(content: string, calls: readonly CalledTool[]): WireMessage {
  const called = calls.map(({ id, name, arguments: json }, index) => ({
    index,
    id,
    type: "function",
    function: { name, arguments: json },
  }));
  return {
    message: { role: "assistant", content: content === "" ? null : content, refusal: null, tool_calls: called },
    finish_reason: "tool_calls",
  };
}

function messageOf({ completion, shape: { readReply } }: Choice): WireMessage {
  const { content, calls } = readReply?.(completion) ?? { content: completion.text, calls: [] };
  if (calls.length > 0) return calledChoice(content, calls);
  return plainChoice(content, wireReasons[completion.finishReason]);
}

/** Names the stop text in vLLM's field; null for none, or without known tokens. */
function stoppedBy({ completion: { text, trace, finishReason }, tokenizer, shape: { stop } }: Choice): object {
  if (stop.length === 0) return {};
  const written = trace && finishReason === "stop" ? tokenizer.decode(trace.tokens) : "";
  return { stop_reason: stop.find((ending) => written.startsWith(ending, text.length)) ?? null };
}

export const chatForm: ReplyForm = {
  prefix: "chatcmpl",
  object: "chat.completion",
  chunkObject: "chat.completion.chunk",
  whole: (choice) => ({
    index: choice.index,
    ...messageOf(choice),
    ...stoppedBy(choice),
    logprobs: choice.shape.logProbs ? chatLogProbs(listed(choice, choice.shape.logProbs)) : null,
    ...(choice.shape.tokenIds && { token_ids: choice.completion.trace?.tokens ?? null }),
  }),
  text: (content) => ({ delta: { role: "assistant", content } }),
  logProbs: chatLogProbs,
};

export const textForm: ReplyForm = {
  prefix: "cmpl",
  object: "text_completion",
  chunkObject: "text_completion",
  whole(choice) {
    const { index, completion, echo, withoutReply = false, shape } = choice;
    const logProbs = shape.logProbs && [
      ...echoedTokens(choice),
      ...(withoutReply ? [] : listed(choice, shape.logProbs)),
    ];
    return {
      index,
      text: (echo?.text ?? "") + (withoutReply ? "" : completion.text),
      logprobs: logProbs && textLogProbs(logProbs),
      finish_reason: withoutReply ? "length" : wireReasons[completion.finishReason],
      ...(shape.tokenIds && { token_ids: withoutReply ? [] : (completion.trace?.tokens ?? null) }),
    };
  },
  text: (text) => ({ text }),
  logProbs: textLogProbs,
};

/** Token counts in OpenAI's format; unreported details are missing. */
export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens: number; readonly cache_write_tokens?: number };
  readonly completion_tokens_details?: { readonly reasoning_tokens: number };
}

export function chatUsage(counts: TokenCounts): ChatUsage {
  const { promptTokens, cachedTokens = 0, cacheWriteTokens = 0, completionTokens, reasoningTokens = 0 } = counts;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(cachedTokens + cacheWriteTokens > 0 && {
      prompt_tokens_details: {
        cached_tokens: cachedTokens,
        ...(cacheWriteTokens > 0 && { cache_write_tokens: cacheWriteTokens }),
      },
    }),
    ...(reasoningTokens > 0 && { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}
