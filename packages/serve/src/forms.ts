import type { Completion, Tokenizer } from "@laconic/core";
import type { ListedToken } from "./streamed-choice.ts";

/** One reply and what of it is asked for. */
export interface Choice {
  readonly index: number;
  readonly completion: Completion;
  readonly tokenizer: Tokenizer;
  readonly logProbs: boolean;
  readonly tokenIds: boolean;
}

/** A piece of a reply on its way. */
export interface Piece {
  readonly index: number;
  readonly text: string;
  readonly tokens: readonly ListedToken[];
  readonly logProbs: boolean;
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

function listed({ completion, tokenizer }: Choice): ListedToken[] {
  const { tokens = [], logProbs = [] } = completion.trace ?? {};
  return tokens.map((id, i) => ({ id, text: tokenizer.decode([id]), logProb: logProbs[i] as number }));
}

const ids = (tokens: readonly ListedToken[]): number[] => tokens.map(({ id }) => id);

const chatLogProbs = (tokens: readonly ListedToken[]): unknown => ({
  content: tokens.map(({ text, logProb }) => ({
    token: text,
    logprob: logProb,
    bytes: [...Buffer.from(text)],
    top_logprobs: [],
  })),
  refusal: null,
});

const textLogProbs = (tokens: readonly ListedToken[]): unknown => ({
  tokens: tokens.map(({ text }) => text),
  token_logprobs: tokens.map(({ logProb }) => logProb),
  text_offset: tokens.map((_, i) => tokens.slice(0, i).reduce((sum, { text }) => sum + text.length, 0)),
  top_logprobs: null,
});

export const chatForm: ReplyForm = {
  prefix: "chatcmpl",
  object: "chat.completion",
  chunkObject: "chat.completion.chunk",
  whole: (choice) => ({
    index: choice.index,
    message: { role: "assistant", content: choice.completion.text, refusal: null },
    logprobs: choice.logProbs ? chatLogProbs(listed(choice)) : null,
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
    logprobs: choice.logProbs ? textLogProbs(listed(choice)) : null,
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
