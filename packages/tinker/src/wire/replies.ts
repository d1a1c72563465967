import { z } from "zod";

/** Base models of a server. */
export interface CapabilitiesReply {
  readonly supported_models: readonly {
    readonly model_name: string;
    readonly max_context_length?: number | null | undefined;
  }[];
}

/** Log-probs of a pass, per sequence; NaN if the server computed none. */
export interface PassReply {
  readonly loss_fn_outputs: readonly { readonly logprobs: { readonly data: readonly number[] } }[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** Replies to one prompt. */
export interface SampledReply {
  readonly sequences: readonly {
    readonly tokens: readonly number[];
    readonly logprobs?: readonly number[] | null | undefined;
    readonly stop_reason: "stop" | "length";
  }[];
  readonly prompt_logprobs?: readonly number[] | null | undefined;
}

export type EarlyReply =
  | { readonly type: "try_again" }
  | { readonly status: "complete_metadata" }
  | { readonly error: string; readonly category?: string | null | undefined };

/** Reply schemas of the protocol; unknown fields are dropped. */
interface Replies {
  readonly capabilities: z.ZodType<CapabilitiesReply>;
  readonly session: z.ZodType<{ readonly session_id: string }>;
  readonly promise: z.ZodType<{ readonly request_id: string }>;
  readonly model: z.ZodType<{ readonly model_id: string }>;
  readonly pass: z.ZodType<PassReply>;
  readonly step: z.ZodType<Pick<PassReply, "metrics">>;
  readonly saved: z.ZodType<{ readonly path: string }>;
  readonly sampler: z.ZodType<{ readonly sampling_session_id: string }>;
  readonly sampled: z.ZodType<SampledReply>;
  readonly early: z.ZodType<EarlyReply>;
  readonly anything: z.ZodType;
}

/** Allowed characters of names, which appear in requests, file names and messages. */
const id = z.string().regex(/^[\w.:@/-]{1,300}$/u);
/** Null is a number that was not finite. */
const number = z
  .number()
  .nullable()
  .transform((value) => value ?? NaN);
const metrics = z
  .record(z.string(), number)
  .nullish()
  .transform((match) => match ?? {});

export const replies: Replies = {
  capabilities: z.object({
    supported_models: z
      .array(z.object({ model_name: z.string(), max_context_length: z.int().min(1).nullish() }))
      .default([]),
  }),
  session: z.object({ session_id: id }),
  promise: z.object({ request_id: id }),
  model: z.object({ model_id: id }),
  pass: z.object({ loss_fn_outputs: z.array(z.object({ logprobs: z.object({ data: z.array(number) }) })), metrics }),
  step: z.object({ metrics }),
  saved: z.object({ path: z.string().min(1).max(1000) }),
  sampler: z.object({ sampling_session_id: id }),
  sampled: z.object({
    sequences: z.array(
      z.object({
        tokens: z.array(z.int().min(0)),
        logprobs: z.array(number).nullish(),
        stop_reason: z.enum(["stop", "length"]),
      }),
    ),
    prompt_logprobs: z.array(number).nullish(),
  }),
  early: z.union([
    z.object({ type: z.literal("try_again") }),
    z.object({ status: z.literal("complete_metadata") }),
    z.object({ error: z.string(), category: z.string().nullish() }),
  ]),
  anything: z.unknown(),
};
