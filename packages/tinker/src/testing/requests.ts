import { z } from "zod";
import type { Datum, ModelInput } from "../wire/datum.ts";

interface Numbered {
  readonly model_id: string;
  readonly seq_id: number;
}

interface PassInput {
  readonly data: readonly Datum[];
  readonly loss_fn: string;
}

/** What a sampler is asked. */
export interface SampleBody {
  readonly sampling_session_id: string;
  readonly num_samples: number;
  readonly prompt: ModelInput;
  readonly sampling_params: {
    readonly max_tokens: number;
    readonly temperature: number;
    readonly top_k?: number | undefined;
    readonly top_p?: number | undefined;
    readonly seed?: number | undefined;
    readonly stop?: readonly number[] | undefined;
  };
  readonly prompt_logprobs?: boolean | undefined;
}

interface AdamBody {
  readonly learning_rate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  readonly weight_decay: number;
  readonly grad_clip_norm?: number | undefined;
}

interface Requests {
  readonly createModel: z.ZodType<{
    readonly base_model: string;
    readonly lora_config: {
      readonly rank: number;
      readonly seed?: number | undefined;
    };
  }>;
  readonly forward: z.ZodType<Numbered & { readonly forward_input: PassInput }>;
  readonly forwardBackward: z.ZodType<Numbered & { readonly forward_backward_input: PassInput }>;
  readonly optimStep: z.ZodType<Numbered & { readonly adam_params: AdamBody }>;
  readonly save: z.ZodType<Numbered & { readonly path: string }>;
  readonly load: z.ZodType<Numbered & { readonly path: string; readonly optimizer: boolean }>;
  readonly saveForSampler: z.ZodType<Numbered & { readonly sampling_session_seq_id: number }>;
  readonly model: z.ZodType<{ readonly model_id: string }>;
  readonly heartbeat: z.ZodType<{ readonly session_id: string }>;
  readonly sample: z.ZodType<SampleBody>;
  readonly future: z.ZodType<{ readonly request_id: string }>;
}

const tensor = z.object({ data: z.array(z.number()), dtype: z.enum(["float32", "int64"]) });
const input = z.object({
  chunks: z.array(z.object({ type: z.literal("encoded_text"), tokens: z.array(z.number().int().nonnegative()) })),
});
const pass = z.object({
  data: z.array(z.object({ model_input: input, loss_fn_inputs: z.record(z.string(), tensor) })).min(1),
  loss_fn: z.string(),
});
const numbered = z.object({ model_id: z.string(), seq_id: z.number().int().positive() });

/** Requests as a strict server reads them. */
export const requests: Requests = {
  createModel: z.object({
    session_id: z.string(),
    base_model: z.string(),
    lora_config: z.strictObject({
      rank: z.number().int().positive(),
      seed: z.number().int().optional(),
    }),
  }),
  forward: numbered.extend({ forward_input: pass }),
  forwardBackward: numbered.extend({ forward_backward_input: pass }),
  optimStep: numbered.extend({
    adam_params: z.object({
      learning_rate: z.number().nonnegative(),
      beta1: z.number(),
      beta2: z.number(),
      eps: z.number().positive(),
      weight_decay: z.number(),
      grad_clip_norm: z.number().optional(),
    }),
  }),
  save: numbered.extend({
    path: z.string().regex(/^[\w-]{1,255}$/u),
    ttl_seconds: z.number().int().positive().optional(),
  }),
  load: numbered.extend({ path: z.string(), optimizer: z.boolean() }),
  saveForSampler: numbered.extend({
    sampling_session_seq_id: z.number().int(),
    ttl_seconds: z.number().int().positive().optional(),
  }),
  model: z.object({ model_id: z.string() }),
  heartbeat: z.object({ session_id: z.string() }),
  sample: z.object({
    sampling_session_id: z.string(),
    num_samples: z.number().int().positive(),
    prompt: input,
    sampling_params: z.object({
      max_tokens: z.number().int().positive(),
      temperature: z.number().nonnegative(),
      top_k: z.number().int().optional(),
      top_p: z.number().optional(),
      seed: z.number().int().optional(),
      stop: z.array(z.number().int()).optional(),
    }),
    prompt_logprobs: z.boolean().optional(),
  }),
  future: z.object({ request_id: z.string() }),
};
