import type { Completion, LogProbsAtOne, Tokenizer } from "@laconic/core";
import { listToken, listTrace, type ListedToken, type LogProbMode } from "./listed-token.ts";
import { wireReasons, type WireReason } from "./wire-reason.ts";

/** A call of a tool as a reply makes it. */
export interface CalledTool {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
}

/** Splits a reply into what is said and what is called. */
export type ReadReply = (completion: Completion) => { readonly content: string; readonly calls: readonly CalledTool[] };

/** One reply and what of it is asked for. */
export interface Choice {
  readonly index: number;
  readonly completion: Completion;
  readonly tokenizer: Tokenizer;
  /** Null when nobody asked for log-probs. */
  readonly logProbs: LogProbMode | null;
  readonly tokenIds: boolean;
  readonly readReply?: ReadReply;
  /** Texts that end a reply. */
  readonly stop: readonly string[];
  /** Stands before the reply; absent unless asked for. */
  readonly echo?: EchoedPrompt;
  /** Leaves out what was sampled: only the prompt was asked for. */
  readonly withoutReply?: boolean;
}

export interface EchoedPrompt {
  readonly text: string;
  /** Log-probs are null for the first token, and where nobody asked for them. */
  readonly listed: readonly { readonly token: number; readonly atOne: LogProbsAtOne | null }[];
}

/** A piece of a reply on its way. */
export interface Piece {
  readonly index: number;
  readonly text: string;
  readonly tokens: readonly ListedToken[];
  readonly logProbs: LogProbMode | null;
  readonly tokenIds: boolean;
}

/** How a kind of completion lays out its answer. */
export interface ReplyForm {
  readonly prefix: string;
  readonly object: string;
  readonly chunkObject: string;
  whole(choice: Choice): Record<string, unknown>;
  chunk(piece: Piece): Record<string, unknown>;
}

function listed({ completion, tokenizer }: Choice, mode: LogProbMode): ListedToken[] {
  return completion.trace ? listTrace(tokenizer, completion.trace, mode) : [];
}

const ids = (tokens: readonly ListedToken[]): number[] => tokens.map(({ id }) => id);

const chatLogProb = ({ text, logProb }: Pick<ListedToken, "text" | "logProb">): Record<string, unknown> => ({
  token: text,
  logprob: logProb,
  bytes: [...Buffer.from(text)],
});

const chatLogProbs = (tokens: readonly ListedToken[]): unknown => ({
  content: tokens.map((token) => ({ ...chatLogProb(token), top_logprobs: token.top.map(chatLogProb) })),
  refusal: null,
});

/** As OpenAI lists them: the likeliest tokens, and the one that was drawn. */
function likeliest({ text, logProb, top }: ListedToken): Record<string, number> {
  const found = new Map<string, number>();
  // Different tokens can have the same text; the likelier one tells whether the drawn one was the likeliest.
  for (const each of [...top, { text, logProb }])
    found.set(each.text, Math.max(each.logProb, found.get(each.text) ?? -Infinity));
  return Object.fromEntries(found);
}

/** @param tokens - those without log-probs have nothing before them */
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

/** The first token of a prompt. */
interface Unpredicted {
  readonly text: string;
  readonly logProb: null;
}

function echoedTokens({ echo, tokenizer }: Choice): (ListedToken | Unpredicted)[] {
  return (echo?.listed ?? []).map(({ token, atOne }) =>
    atOne
      ? listToken(tokenizer, { token, logProb: atOne.logProb, atOne }, "raw_logprobs")
      : { text: tokenizer.decode([token]), logProb: null },
  );
}

/** A message, and why it ends. */
interface WireMessage {
  readonly message: object;
  readonly finish_reason: WireReason;
}

function messageOf({ completion, readReply }: Choice): WireMessage {
  const { content, calls } = readReply?.(completion) ?? { content: completion.text, calls: [] };
  if (calls.length === 0) return plainChoice(content, wireReasons[completion.finishReason]);
  return calledChoice(content, calls);
}

/** The text that ended a reply, under vLLM's name; null where none did, or nobody knows its tokens. */
function stoppedBy({ completion: { text, trace, finishReason }, tokenizer, stop }: Choice): object {
  if (stop.length === 0) return {};
  const written = trace && finishReason === "stop" ? tokenizer.decode(trace.tokens) : "";
  return { stop_reason: stop.find((each) => written.startsWith(each, text.length)) ?? null };
}

/** What a choice says that calls no tool. */
export function plainChoice(content: string, finish_reason: WireReason): WireMessage {
  return { message: { role: "assistant", content, refusal: null }, finish_reason };
}

/** What a choice says that calls tools. */
export function calledChoice(content: string, calls: readonly CalledTool[]): WireMessage {
  const called = calls.map(({ id, name, arguments: given }, index) => ({
    index,
    id,
    type: "function",
    function: { name, arguments: given },
  }));
  return {
    message: { role: "assistant", content: content === "" ? null : content, refusal: null, tool_calls: called },
    finish_reason: "tool_calls",
  };
}

export const chatForm: ReplyForm = {
  prefix: "chatcmpl",
  object: "chat.completion",
  chunkObject: "chat.completion.chunk",
  whole: (choice) => ({
    index: choice.index,
    ...messageOf(choice),
    ...stoppedBy(choice),
    logprobs: choice.logProbs ? chatLogProbs(listed(choice, choice.logProbs)) : null,
    ...(choice.tokenIds && { token_ids: choice.completion.trace?.tokens ?? null }),
  }),
  chunk: ({ index, text, tokens, logProbs, tokenIds }) => ({
    index,
    delta: { role: "assistant", content: text },
    logprobs: logProbs ? chatLogProbs(tokens) : null,
    finish_reason: null,
    ...(tokenIds && { token_ids: ids(tokens) }),
  }),
};

export const textForm: ReplyForm = {
  prefix: "cmpl",
  object: "text_completion",
  chunkObject: "text_completion",
  whole: (choice) => ({
    index: choice.index,
    text: (choice.echo?.text ?? "") + (choice.withoutReply ? "" : choice.completion.text),
    logprobs: choice.logProbs
      ? textLogProbs([...echoedTokens(choice), ...(choice.withoutReply ? [] : listed(choice, choice.logProbs))])
      : null,
    finish_reason: choice.withoutReply ? "length" : wireReasons[choice.completion.finishReason],
    ...(choice.tokenIds && { token_ids: choice.withoutReply ? [] : (choice.completion.trace?.tokens ?? null) }),
  }),
  chunk: ({ index, text, tokens, logProbs, tokenIds }) => ({
    index,
    text,
    logprobs: logProbs ? textLogProbs(tokens) : null,
    finish_reason: null,
    ...(tokenIds && { token_ids: ids(tokens) }),
  }),
};
