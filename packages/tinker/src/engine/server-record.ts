import { z } from "zod";

/**
 * What a server does where the protocol leaves it open, found out by `probeServer` and stored with a run: a training on an
 * unexplained value is no training.
 */
export interface ServerRecord {
  readonly baseModel: string;
  /** Tokens of prompt and reply together; null where the server does not say. */
  readonly contextLength: number | null;
  /** How a batch's loss is put together of its sequences, and a sequence's of its positions. */
  readonly reduction: { readonly sequences: "sum" | "mean"; readonly positions: "sum" | "mean" };
  /** A numbered request sent twice runs once. */
  readonly deduplicates: boolean;
  /** What `prompt_logprobs` hold: nothing, one value for each token but the first, or a null for the first. */
  readonly promptLogProbs: "none" | "without-first" | "null-first";
  /** The temperature of the log-probs that a sampler reports. */
  readonly sampledAt: "one" | "sampling";
  /** Whether a sampler stays as it was while its model goes on. */
  readonly samplers: "frozen" | "live";
  /** The metric of a step that holds the global gradient norm; null without one. */
  readonly gradNorm: string | null;
  /** Whether steps take Adam's betas and epsilon as they are asked, or the server keeps its own (SkyRL on FSDP and Megatron). */
  readonly optimizer: "asked" | "own";
  /** `grad_clip_norm` is honoured. */
  readonly clips: boolean;
  /** Gradients are clipped at a norm of the server's own, whatever is asked. */
  readonly clipsItself: boolean;
  /** Two models are trained side by side without touching each other. */
  readonly severalModels: boolean;
}

const reduction = z.enum(["sum", "mean"]);

/** Reads a stored record. */
export const serverRecord: z.ZodType<ServerRecord> = z.object({
  baseModel: z.string(),
  contextLength: z.number().int().positive().nullable(),
  reduction: z.object({ sequences: reduction, positions: reduction }),
  deduplicates: z.boolean(),
  promptLogProbs: z.enum(["none", "without-first", "null-first"]),
  sampledAt: z.enum(["one", "sampling"]),
  samplers: z.enum(["frozen", "live"]),
  gradNorm: z.string().nullable(),
  optimizer: z.enum(["asked", "own"]),
  clips: z.boolean(),
  clipsItself: z.boolean(),
  severalModels: z.boolean(),
});
