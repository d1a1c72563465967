import { samplingFieldShapes, type SamplingFields } from "@laconic/core/backends";
import { schemaOf } from "@laconic/core/schemas";
import { z } from "zod";
import type { LogProbMode } from "./listed-token.ts";
import { callsSchema, offeredShape, textSchema, type OfferedTools, type WireCall } from "./tool-schemas.ts";

/** What both kinds of completion take; parameters that are not here are refused by name. */
interface SharedParameters extends SamplingFields {
  readonly model: string;
  readonly n?: number;
  readonly seed?: number;
  readonly stop?: string | readonly string[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly max_tokens?: number;
  /** Adds `token_ids` and `prompt_token_ids`, vLLM's fields. */
  readonly return_token_ids?: boolean;
  /** `raw_logprobs`, the default, are at temperature 1; `processed_logprobs` at the sampling temperature, as a trainer needs them. */
  readonly logprobs_mode?: LogProbMode;
  /** Requests with the same key go on from each other's cached prefixes. */
  readonly prompt_cache_key?: string;
  readonly user?: string;
  readonly frequency_penalty?: 0;
  readonly presence_penalty?: 0;
}

/** What the text of a reply must be. */
export type ResponseFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | { readonly type: "json_schema"; readonly json_schema: { readonly schema: Readonly<Record<string, unknown>> } };

export interface ChatBody extends SharedParameters {
  readonly messages: readonly { readonly role: "system" | "user" | "assistant"; readonly content: string }[];
  readonly max_completion_tokens?: number;
  readonly response_format?: ResponseFormat;
  readonly logprobs?: boolean;
  readonly top_logprobs?: number;
}

export interface CompletionBody extends SharedParameters {
  readonly response_format?: { readonly type: "text" };
  /** A text or token ids, or several of either. */
  readonly prompt: string | readonly number[] | readonly string[] | readonly (readonly number[])[];
  /** 0 gives the sampled tokens' own. */
  readonly logprobs?: number;
  /** Gives the prompt back before the reply, with log-probs of its own tokens where `logprobs` is given. */
  readonly echo?: boolean;
}

/** Each may have the value that changes nothing, too. */
const samplingSchemas = Object.fromEntries(
  Object.entries(samplingFieldShapes("openai-extended")).map(([field, shape]) => [
    field,
    schemaOf(shape).exactOptional(),
  ]),
) as { readonly [Field in keyof Required<SamplingFields>]: z.ZodExactOptional<z.ZodType<number>> };

const notStored = "nothing is stored here: leave it out, or send false";

type IdleName =
  | "logit_bias"
  | "modalities"
  | "reasoning_effort"
  | "verbosity"
  | "service_tier"
  | "store"
  | "metadata"
  | "safety_identifier";

/** What clients send at the value that asks for nothing, and what says nothing of the reply. */
export const idleShape: Readonly<Record<IdleName, z.ZodExactOptional<z.ZodType>>> = {
  logit_bias: z.strictObject({}).exactOptional(),
  modalities: z.tuple([z.literal("text")]).exactOptional(),
  reasoning_effort: z.literal("none").exactOptional(),
  verbosity: z.literal("medium").exactOptional(),
  service_tier: z.enum(["auto", "default"]).exactOptional(),
  store: z.literal(false, { error: notStored }).exactOptional(),
  metadata: z.record(z.string().max(64), z.string().max(512)).exactOptional(),
  safety_identifier: z.string().max(512).exactOptional(),
};

/** What models and teams take. */
const common = {
  model: z.string(),
  ...samplingSchemas,
  temperature: z.number().min(0).max(100).exactOptional(),
  n: z.int().min(1).max(128).exactOptional(),
  seed: z.int().exactOptional(),
  stream: z.boolean().exactOptional(),
  stream_options: z
    .strictObject({
      include_usage: z.boolean().exactOptional(),
      include_obfuscation: z.literal(false).exactOptional(),
    })
    .exactOptional(),
  max_tokens: z.int().min(1).exactOptional(),
  user: z.string().exactOptional(),
  ...idleShape,
  // The model does as it does.
  parallel_tool_calls: z.boolean().exactOptional(),
};

type Optional<T> = z.ZodExactOptional<z.ZodType<T>>;

/** What other surfaces than OpenAI's chats say in the same words. */
export const surfaceShape: typeof samplingSchemas & {
  readonly model: z.ZodType<string>;
  readonly temperature: Optional<number>;
  readonly seed: Optional<number>;
  readonly stream: Optional<boolean>;
  readonly user: Optional<string>;
} = {
  ...samplingSchemas,
  model: common.model,
  temperature: common.temperature,
  seed: common.seed,
  stream: common.stream,
  user: common.user,
};

const shared = {
  ...common,
  stop: z.union([z.string(), z.array(z.string()).max(16)]).exactOptional(),
  return_token_ids: z.boolean().exactOptional(),
  logprobs_mode: z.enum(["raw_logprobs", "processed_logprobs"]).exactOptional(),
  prompt_cache_key: z.string().max(512).exactOptional(),
  // Clients send these at the value that does nothing.
  frequency_penalty: z.literal(0).exactOptional(),
  presence_penalty: z.literal(0).exactOptional(),
};

const tokens = z.array(z.int().min(0)).min(1);

/** Content in parts, joined. */
const chatParts: z.ZodType<string> = z
  .array(z.strictObject({ type: z.literal("text"), text: z.string() }))
  .transform((texts) => texts.map(({ text }) => text).join(""));

/** As chats have it. */
const responseFormat: z.ZodType<ResponseFormat> = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text") }),
  z.strictObject({ type: z.literal("json_object") }),
  z.strictObject({
    type: z.literal("json_schema"),
    json_schema: z.strictObject({
      schema: z.record(z.string(), z.unknown()),
      name: z.string().max(64).optional(),
      description: z.string().nullish(),
      // A reply fits the schema either way.
      strict: z.boolean().nullish(),
    }),
  }),
]);

export const chatSchema: z.ZodType<ChatBody> = z.strictObject({
  ...shared,
  messages: z
    .array(
      z.strictObject({
        // OpenAI's newer name of the system role; chat templates know the older one.
        role: z
          .enum(["system", "developer", "user", "assistant"])
          .transform((role) => (role === "developer" ? "system" : role)),
        content: z.union([z.string(), chatParts]),
        // As an earlier reply comes back in a history.
        refusal: z.null().exactOptional(),
      }),
    )
    .min(1),
  max_completion_tokens: z.int().min(1).exactOptional(),
  response_format: responseFormat.exactOptional(),
  logprobs: z.boolean().exactOptional(),
  top_logprobs: z.int().min(0).max(20).exactOptional(),
});

export const completionSchema: z.ZodType<CompletionBody> = z.strictObject({
  ...shared,
  // Clients send the kind that is the default anyway.
  response_format: z.strictObject({ type: z.literal("text") }).exactOptional(),
  best_of: z.literal(1).exactOptional(),
  max_tokens: z.int().min(0).exactOptional(),
  prompt: z.union([z.string(), tokens, z.array(z.string()).min(1), z.array(tokens).min(1)], {
    error: "it must be a text, token ids, or an array of either, not empty",
  }),
  logprobs: z.int().min(0).max(5).exactOptional(),
  echo: z.boolean().exactOptional(),
});

/** A message of a chat with a team. */
export type TeamMessage =
  | { readonly role: "user"; readonly content: string; readonly name?: string }
  | { readonly role: "assistant"; readonly tool_calls?: readonly WireCall[] | null | undefined }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

/** A chat with a team. */
export interface TeamChatBody
  extends
    Pick<
      ChatBody,
      "model" | "n" | "seed" | "stream" | "stream_options" | "max_tokens" | "max_completion_tokens" | "user"
    >,
    SamplingFields,
    OfferedTools {
  /** Each of the user has whose private view it is; without a name it is the question. */
  readonly messages: readonly TeamMessage[];
  /** Who may call the tools, in the place of who answers. */
  readonly tool_agents?: readonly string[] | undefined;
}

const keepsNone = "a team is asked one question, and keeps no conversation";

const teamMessage: z.ZodType<TeamMessage> = z.discriminatedUnion(
  "role",
  [
    z.strictObject({
      role: z.literal("user"),
      content: z.union([z.string(), chatParts]),
      name: z.string().min(1).exactOptional(),
    }),
    // As it came: only which calls it made is read.
    z.object({ role: z.literal("assistant"), tool_calls: callsSchema.nullish() }),
    z.object({ role: z.literal("tool"), tool_call_id: z.string().max(256), content: textSchema }),
  ],
  { error: `it must be user, or assistant and tool for calls of tools: ${keepsNone}` },
);

export const teamChatSchema: z.ZodType<TeamChatBody> = z.strictObject({
  ...common,
  max_completion_tokens: z.int().min(1).exactOptional(),
  ...offeredShape,
  tool_agents: z.array(z.string()).min(1).optional(),
  messages: z.array(teamMessage).min(1),
});
