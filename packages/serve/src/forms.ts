import type { Completion, Tokenizer } from "@laconic/core";
import { listTrace, type ListedToken, type LogProbMode } from "./listed-token.ts";

/** One reply and what of it is asked for. */
export interface Choice {
  readonly index: number;
  readonly completion: Completion;
  readonly tokenizer: Tokenizer;
  /** Null when nobody asked for log-probs. */
  readonly logProbs: LogProbMode | null;
  readonly tokenIds: boolean;
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
const likeliest = ({ text, logProb, top }: ListedToken): Record<string, number> =>
  Object.fromEntries([...top, { text, logProb }].map((each) => [each.text, each.logProb]));

const textLogProbs = (tokens: readonly ListedToken[]): unknown => ({
  tokens: tokens.map(({ text }) => text),
  token_logprobs: tokens.map(({ logProb }) => logProb),
  text_offset: tokens.map((_, i) => tokens.slice(0, i).reduce((sum, { text }) => sum + text.length, 0)),
  top_logprobs: tokens.some(({ top }) => top.length > 0) ? tokens.map(likeliest) : null,
});

export const chatForm: ReplyForm = {
  prefix: "chatcmpl",
  object: "chat.completion",
  chunkObject: "chat.completion.chunk",
  whole: (choice) => ({
    index: choice.index,
    message: { role: "assistant", content: choice.completion.text, refusal: null },
    logprobs: choice.logProbs ? chatLogProbs(listed(choice, choice.logProbs)) : null,
    finish_reason: choice.completion.finishReason,
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
    text: choice.completion.text,
    logprobs: choice.logProbs ? textLogProbs(listed(choice, choice.logProbs)) : null,
    finish_reason: choice.completion.finishReason,
    ...(choice.tokenIds && { token_ids: choice.completion.trace?.tokens ?? null }),
  }),
  chunk: ({ index, text, tokens, logProbs, tokenIds }) => ({
    index,
    text,
    logprobs: logProbs ? textLogProbs(tokens) : null,
    finish_reason: null,
    ...(tokenIds && { token_ids: ids(tokens) }),
  }),
};
