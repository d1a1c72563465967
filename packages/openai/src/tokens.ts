import type { Prompt, TokenUsage } from "@laconic/core";
import { wordTable } from "@laconic/core/checks";
import type { TokenCounts, TokenPrice } from "@laconic/core/ledger";
import type { Tiktoken, TiktokenModel } from "tiktoken";
import { installedPackage } from "./installed-package.ts";
import type { ServerReply } from "./server-reply.ts";

/** Extra tokens that a chat template may add. OpenAI's add 3 and 3, others up to forty. */
const [perMessage, perPrompt] = [8, 48] as const;

/** Upper bound by the model's encoding, or one per byte; includes the chat template. */
export async function maxPromptTokens(model: string, prompt: Prompt): Promise<number> {
  if (prompt.kind === "tokens") return prompt.tokens.length + 1;
  if (prompt.kind === "text") return (await maxTokens(model, prompt.text)) + 1;
  let sum = perPrompt;
  for (const { content } of prompt.messages) sum += (await maxTokens(model, content)) + perMessage;
  return sum;
}

/**
 * Uses the server's counts if complete, consistent and plausible. Otherwise the model's encoding or an estimate, never
 * below the server's.
 */
export async function countReply(
  model: string,
  prompt: Prompt,
  { text, hidden, usage: { agrees, ...reported } }: ServerReply,
): Promise<{ readonly usage: TokenUsage; readonly max: TokenCounts | null }> {
  const { promptTokens, completionTokens, reasoningTokens = 0 } = reported;
  // Reasoning that is not in the text counts extra.
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
      // and an end token
      completionTokens: Math.max(completionTokens, unseen + (await maxTokens(model, text + hidden)) + 1),
    },
  };
}

/** Max tokens of calls: the requested limit, plus the largest excess so far. */
export class CallBound {
  #promptExcess = 1;
  #completionExcess = 1;

  max({ promptTokens, completionTokens }: TokenCounts): TokenCounts {
    return {
      promptTokens: Math.ceil(promptTokens * this.#promptExcess),
      completionTokens: Math.ceil(completionTokens * this.#completionExcess),
    };
  }

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
 * Encoding time is quadratic in runs without a boundary (26 s for 100,000 equal letters). Runs are cut, which can only
 * add tokens, and longer texts are not counted.
 */
const [sliceLength, longestText] = [500, 2 ** 18] as const;

/**
 * Counts by an OpenAI model's encoding; a few percent more for long runs of similar characters.
 * @returns null for an unknown model, without the package `tiktoken`, and above 262,144 characters
 */
export async function countTokens(model: string, text: string): Promise<number | null> {
  const encoder = text.length > longestText ? null : await encoderFor(model);
  if (encoder === null) return null;
  let count = 0;
  for (const slice of slicesOf(text)) count += encoder.encode_ordinary(slice).length;
  return count;
}

/** Cuts before a word, where every encoding has a boundary, or anywhere. */
function* slicesOf(text: string): Generator<string> {
  let start = 0;
  while (text.length - start > sliceLength) {
    const slice = text.slice(start, start + sliceLength);
    const boundary = [...slice.matchAll(/(?<=\S) (?=\p{L})/gu)].at(-1)?.index;
    // Not inside a surrogate pair.
    const end = boundary ?? (/[\uD800-\uDBFF]$/u.test(slice) ? sliceLength - 1 : sliceLength);
    yield text.slice(start, start + end);
    start += end;
  }
  yield text.slice(start);
}

/** Four characters per token, as for English. */
function guessTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

async function encoderFor(model: string): Promise<Tiktoken | null> {
  const cached = encoders.get(model);
  if (cached !== undefined) return cached;
  const tiktoken = await installedPackage("tiktoken", () => import("tiktoken"));
  let encoder: Tiktoken | null = null;
  try {
    if (tiktoken) encoder = tiktoken.encoding_for_model(model as TiktokenModel);
  } catch {
    // Not an OpenAI model.
  }
  encoders.set(model, encoder);
  return encoder;
}

/** US dollars per million tokens from the provider's public price page on `date`; reasoning costs as completion. */
export const publicPrices: Readonly<Record<string, TokenPrice & { readonly date: string }>> = wordTable({
  "gpt-4o": { prompt: 2.5, cached: 1.25, completion: 10, date: "2025-06-01" },
  "gpt-4o-mini": { prompt: 0.15, cached: 0.075, completion: 0.6, date: "2025-06-01" },
  "gpt-4.1": { prompt: 2, cached: 0.5, completion: 8, date: "2025-06-01" },
  "gpt-4.1-mini": { prompt: 0.4, cached: 0.1, completion: 1.6, date: "2025-06-01" },
  "gpt-4.1-nano": { prompt: 0.1, cached: 0.025, completion: 0.4, date: "2025-06-01" },
  "gpt-4-1106-preview": { prompt: 10, completion: 30, date: "2024-01-01" },
  "gpt-3.5-turbo": { prompt: 0.5, completion: 1.5, date: "2024-06-01" },
});
