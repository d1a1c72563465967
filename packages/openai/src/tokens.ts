import type { Prompt, TokenUsage } from "@laconic/core";
import { wordTable } from "@laconic/core/checks";
import type { TokenCounts, TokenPrice } from "@laconic/core/ledger";
import type { Tiktoken, TiktokenModel } from "tiktoken";
import { installedPackage } from "./installed-package.ts";
import type { ServerReply } from "./server-reply.ts";

/** Tokens of a reply. */
export interface CountedReply {
  readonly usage: TokenUsage;
  /** The most that it can have used, where the server's own counts cannot be taken. */
  readonly max: TokenCounts | null;
}

/** Tokens by which a server's template may surround a message, and a conversation: OpenAI's are 3 and 3, others' up to forty. */
const [perMessage, perPrompt] = [8, 48] as const;

/**
 * The most tokens that a prompt can be, by the model's own encoding, or one a byte: no byte-level tokenizer makes more. What a
 * server's template adds is allowed for.
 */
export async function maxPromptTokens(model: string, prompt: Prompt): Promise<number> {
  if (prompt.kind === "tokens") return prompt.tokens.length + 1;
  if (prompt.kind === "text") return (await maxTokens(model, prompt.text)) + 1;
  let sum = perPrompt;
  for (const { content } of prompt.messages) sum += (await maxTokens(model, content)) + perMessage;
  return sum;
}

/**
 * Counts a reply: as the server says, where its counts are complete, agree and can be of this text. Otherwise by the model's encoding or a
 * guess, and never fewer than the server says.
 */
export async function countReply(
  model: string,
  prompt: Prompt,
  { text, hidden, usage: { agrees, ...reported } }: ServerReply,
): Promise<CountedReply> {
  const { promptTokens, completionTokens, reasoningTokens = 0 } = reported;
  // Reasoning is beside the text where it is not shown.
  const unseen = hidden === "" ? reasoningTokens : 0;
  if (agrees && promptTokens > 0 && (completionTokens > unseen || text + hidden === ""))
    return { usage: { ...reported, counted: "server" }, max: null };
  const written = await countTokens(model, text + hidden);
  const promptText = textOf(prompt);
  const read =
    prompt.kind === "tokens"
      ? prompt.tokens.length
      : ((await countTokens(model, promptText)) ?? guessTokens(promptText));
  return {
    usage: {
      ...reported,
      promptTokens: Math.max(promptTokens, read),
      completionTokens: Math.max(completionTokens, unseen + (written ?? guessTokens(text + hidden))),
      counted: written === null ? "estimate" : "tokenizer",
    },
    max: {
      costUsd: reported.costUsd ?? 0,
      promptTokens: Math.max(promptTokens, await maxPromptTokens(model, prompt)),
      // And an end token.
      completionTokens: Math.max(completionTokens, unseen + (await maxTokens(model, text + hidden)) + 1),
    },
  };
}

/** What calls to one server can take at most: what was asked for, or as much more as the server was once seen to take. */
export class CallBound {
  #promptExcess = 1;
  #completionExcess = 1;

  max({ promptTokens, completionTokens }: TokenCounts): TokenCounts {
    return {
      promptTokens: Math.ceil(promptTokens * this.#promptExcess),
      completionTokens: Math.ceil(completionTokens * this.#completionExcess),
    };
  }

  /** @returns whether the reply is longer than was asked for */
  learn(asked: TokenCounts, { promptTokens, completionTokens }: TokenCounts): boolean {
    this.#promptExcess = Math.max(this.#promptExcess, promptTokens / asked.promptTokens);
    this.#completionExcess = Math.max(this.#completionExcess, completionTokens / asked.completionTokens);
    return completionTokens > asked.completionTokens;
  }
}

async function maxTokens(model: string, text: string): Promise<number> {
  return (await countTokens(model, text)) ?? Buffer.byteLength(text);
}

function textOf(prompt: Prompt): string {
  if (prompt.kind === "text") return prompt.text;
  return prompt.kind === "messages" ? prompt.messages.map(({ content }) => content).join("\n") : "";
}

const encoders = new Map<string, Tiktoken | null>();

/**
 * The encoder takes time by the square of a run without a boundary, 26 s for 100,000 equal letters: such runs are cut, which can only
 * add tokens, and longer texts are not counted.
 */
const [sliceLength, longestText] = [500, 2 ** 18] as const;

/**
 * Tokens of a text in the encoding of an OpenAI model; of a text with long runs of the same kind of character, at most some per cent more.
 * @returns null for a model whose encoding is not known, where the package `tiktoken` is not installed, and for texts of more than 262,144 characters
 */
export async function countTokens(model: string, text: string): Promise<number | null> {
  const encoder = text.length > longestText ? null : await encoderFor(model);
  if (encoder === null) return null;
  let count = 0;
  for (const slice of slicesOf(text)) count += encoder.encode_ordinary(slice).length;
  return count;
}

/** Cuts before a word, where every encoding has a boundary, or where there is none within a slice, anywhere. */
function* slicesOf(text: string): Generator<string> {
  let start = 0;
  while (text.length - start > sliceLength) {
    const slice = text.slice(start, start + sliceLength);
    const boundary = [...slice.matchAll(/(?<=\S) (?=\p{L})/gu)].at(-1)?.index;
    // Not between the halves of a character.
    const end = boundary ?? (/[\uD800-\uDBFF]$/u.test(slice) ? sliceLength - 1 : sliceLength);
    yield text.slice(start, start + end);
    start += end;
  }
  yield text.slice(start);
}

/** A guess where nothing is known: four characters a token, as for English. */
function guessTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

async function encoderFor(model: string): Promise<Tiktoken | null> {
  const known = encoders.get(model);
  if (known !== undefined) return known;
  const tiktoken = await installedPackage("tiktoken", () => import("tiktoken"));
  let encoder: Tiktoken | null = null;
  try {
    if (tiktoken) encoder = tiktoken.encoding_for_model(model as TiktokenModel);
  } catch {
    // Not a model of OpenAI's.
  }
  encoders.set(model, encoder);
  return encoder;
}

/** US dollars per million tokens, as the provider's public price page listed them on `date`; reasoning costs as completion. */
export const publicPrices: Readonly<Record<string, TokenPrice & { readonly date: string }>> = wordTable({
  "gpt-4o": { prompt: 2.5, cached: 1.25, completion: 10, date: "2025-06-01" },
  "gpt-4o-mini": { prompt: 0.15, cached: 0.075, completion: 0.6, date: "2025-06-01" },
  "gpt-4.1": { prompt: 2, cached: 0.5, completion: 8, date: "2025-06-01" },
  "gpt-4.1-mini": { prompt: 0.4, cached: 0.1, completion: 1.6, date: "2025-06-01" },
  "gpt-4.1-nano": { prompt: 0.1, cached: 0.025, completion: 0.4, date: "2025-06-01" },
  "gpt-4-1106-preview": { prompt: 10, completion: 30, date: "2024-01-01" },
  "gpt-3.5-turbo": { prompt: 0.5, completion: 1.5, date: "2024-06-01" },
});
