import { z } from "zod";
import type { LogProbMode } from "./listed-token.ts";

/** What both kinds of completion take; parameters that are not here are refused by name. */
interface SharedParameters {
  readonly model: string;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly min_p?: number;
  readonly n?: number;
  readonly seed?: number;
  readonly stop?: string | readonly string[] | null;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
  readonly max_tokens?: number | null;
  /** Adds `token_ids` and `prompt_token_ids`, as vLLM does. */
  readonly return_token_ids?: boolean;
  /** `raw_logprobs`, the default, are at temperature 1; `processed_logprobs` at the sampling temperature, as a trainer needs them. */
  readonly logprobs_mode?: LogProbMode;
  /** Requests with the same key go on from each other's cached prefixes. */
  readonly prompt_cache_key?: string;
  readonly user?: string;
  readonly frequency_penalty?: 0 | null;
  readonly presence_penalty?: 0 | null;
}

export interface ChatBody extends SharedParameters {
  readonly messages: readonly { readonly role: "system" | "user" | "assistant"; readonly content: string }[];
  readonly max_completion_tokens?: number | null;
  readonly logprobs?: boolean | null;
  readonly top_logprobs?: number | null;
}

export interface CompletionBody extends SharedParameters {
  readonly prompt: string | readonly number[];
  /** 0 gives the sampled tokens' own. */
  readonly logprobs?: number | null;
  readonly echo?: false;
}

const shared = {
  model: z.string(),
  temperature: z.number().min(0).max(100).exactOptional(),
  top_p: z.number().gt(0).max(1).exactOptional(),
  top_k: z.int().min(-1).exactOptional(),
  min_p: z.number().min(0).max(1).exactOptional(),
  n: z.int().min(1).max(128).exactOptional(),
  seed: z.int().exactOptional(),
  stop: z.union([z.string(), z.array(z.string()).max(16), z.null()]).exactOptional(),
  stream: z.boolean().exactOptional(),
  stream_options: z.strictObject({ include_usage: z.boolean().exactOptional() }).nullable().exactOptional(),
  max_tokens: z.int().min(1).nullable().exactOptional(),
  return_token_ids: z.boolean().exactOptional(),
  logprobs_mode: z.enum(["raw_logprobs", "processed_logprobs"]).exactOptional(),
  prompt_cache_key: z.string().exactOptional(),
  user: z.string().exactOptional(),
  // Clients send these at the value that does nothing.
  frequency_penalty: z.literal(0).nullable().exactOptional(),
  presence_penalty: z.literal(0).nullable().exactOptional(),
};

const parts = z
  .array(z.strictObject({ type: z.literal("text"), text: z.string() }))
  .transform((texts) => texts.map(({ text }) => text).join(""));

export const chatSchema: z.ZodType<ChatBody> = z.strictObject({
  ...shared,
  messages: z
    .array(
      z.strictObject({
        role: z.enum(["system", "user", "assistant"]),
        content: z.union([z.string(), parts]),
      }),
    )
    .min(1),
  max_completion_tokens: z.int().min(1).nullable().exactOptional(),
  logprobs: z.boolean().nullable().exactOptional(),
  top_logprobs: z.int().min(0).max(20).nullable().exactOptional(),
});

export const completionSchema: z.ZodType<CompletionBody> = z.strictObject({
  ...shared,
  prompt: z.union([z.string(), z.array(z.int().min(0)).min(1)]),
  logprobs: z.int().min(0).max(5).nullable().exactOptional(),
  echo: z.literal(false).exactOptional(),
});
