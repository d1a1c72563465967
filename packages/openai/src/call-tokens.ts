import type { Prompt, TokenUsage } from "@laconic/core";
import { countTokens, guessTokens } from "./count-tokens.ts";
import type { ServerReply } from "./server-reply.ts";

/** Tokens of one call. */
export interface CallTokens {
  readonly prompt: number;
  readonly completion: number;
}

/** What a reply is taken to have used, and what it may have used at most: the two differ where the server does not count. */
export interface CountedReply {
  readonly usage: TokenUsage;
  readonly max: CallTokens;
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

/** Counts a reply: as the server says, or where it says nothing that can be, by the model's encoding, or by a guess. */
export async function countReply(
  model: string,
  prompt: Prompt,
  { text, hidden, usage }: ServerReply,
): Promise<CountedReply> {
  if (usage && usage.promptTokens > 0 && (usage.completionTokens > 0 || text + hidden === ""))
    return {
      usage: { ...usage, counted: "server" },
      max: { prompt: usage.promptTokens, completion: usage.completionTokens },
    };
  const written = await countTokens(model, text + hidden);
  const promptText = textOf(prompt);
  return {
    usage: {
      promptTokens:
        prompt.kind === "tokens"
          ? prompt.tokens.length
          : ((await countTokens(model, promptText)) ?? guessTokens(promptText)),
      completionTokens: written ?? guessTokens(text + hidden),
      counted: written === null ? "estimate" : "tokenizer",
    },
    // And an end token.
    max: { prompt: await maxPromptTokens(model, prompt), completion: (await maxTokens(model, text + hidden)) + 1 },
  };
}

/** What calls to one server can take at most: what was asked for, or as much more as the server was once seen to take. */
export class CallBound {
  #promptExcess = 1;
  #completionExcess = 1;

  max({ prompt, completion }: CallTokens): CallTokens {
    return {
      prompt: Math.ceil(prompt * this.#promptExcess),
      completion: Math.ceil(completion * this.#completionExcess),
    };
  }

  /** @returns whether the reply is longer than was asked for */
  learn(asked: CallTokens, { promptTokens, completionTokens }: TokenUsage): boolean {
    this.#promptExcess = Math.max(this.#promptExcess, promptTokens / asked.prompt);
    this.#completionExcess = Math.max(this.#completionExcess, completionTokens / asked.completion);
    return completionTokens > asked.completion;
  }
}

async function maxTokens(model: string, text: string): Promise<number> {
  return (await countTokens(model, text)) ?? Buffer.byteLength(text);
}

function textOf(prompt: Prompt): string {
  if (prompt.kind === "text") return prompt.text;
  return prompt.kind === "messages" ? prompt.messages.map(({ content }) => content).join("\n") : "";
}
