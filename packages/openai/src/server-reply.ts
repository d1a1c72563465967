import type { FinishReason } from "@laconic/core";
import { z } from "zod";

const usage = z
  .object({ prompt_tokens: z.int().min(0), completion_tokens: z.int().min(0) })
  .nullish()
  .catch(null);
const finish = z.string().nullish();

const chat = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: finish,
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
  usage,
  model: z.string().optional(),
});
const text = z.object({
  choices: z.array(z.object({ finish_reason: finish, text: z.string() })).min(1),
  usage,
  model: z.string().optional(),
});

/** What a server said, as far as it is needed. */
export interface ServerReply {
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | null;
}

/** @returns null for a reply that is no completion; a refusal is one */
export function readReply(value: unknown, kind: "chat" | "text"): ServerReply | null {
  if (kind === "text") {
    const parsed = text.safeParse(value);
    const choice = parsed.data?.choices[0];
    return choice
      ? { text: choice.text, finishReason: finishOf(choice.finish_reason), usage: usageOf(parsed.data?.usage) }
      : null;
  }
  const parsed = chat.safeParse(value);
  const choice = parsed.data?.choices[0];
  if (!choice) return null;
  const { content, refusal } = choice.message;
  const refused = typeof refusal === "string" && refusal !== "" && !content;
  return {
    text: content ?? "",
    finishReason: refused ? "refusal" : finishOf(choice.finish_reason),
    usage: usageOf(parsed.data?.usage),
  };
}

function finishOf(reason: string | null | undefined): FinishReason {
  if (reason === "length") return "length";
  return reason === "content_filter" ? "refusal" : "stop";
}

function usageOf(given: z.infer<typeof usage> | undefined): ServerReply["usage"] {
  return given ? { promptTokens: given.prompt_tokens, completionTokens: given.completion_tokens } : null;
}
