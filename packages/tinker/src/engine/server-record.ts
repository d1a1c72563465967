import { z } from "zod";

/** Server behaviour that the protocol leaves open, measured by `probeServer` and stored with a run. */
export interface ServerRecord {
  readonly baseModel: string;
  /** Max tokens of prompt and reply together; null if the server does not report it. */
  readonly contextLength: number | null;
  /** How a batch's loss combines its sequences, and a sequence's its positions. */
  readonly reduction: { readonly sequences: "sum" | "mean"; readonly positions: "sum" | "mean" };
  /** Whether a numbered request sent twice runs once. */
  readonly deduplicates: boolean;
  /** Content of `prompt_logprobs`: nothing, one value per token except the first, or null for the first. */
  readonly promptLogProbs: "none" | "without-first" | "null-first";
  /** Temperature of the log-probs that a sampler reports. */
  readonly sampledAt: "one" | "sampling";
  /** Whether a sampler keeps its weights while the model is trained. */
  readonly samplers: "frozen" | "live";
  /** Step metric with the global gradient norm; null without one. */
  readonly gradNorm: string | null;
  /**
   * Whether steps use the requested Adam betas and epsilon; some servers use fixed ones (SkyRL on FSDP and Megatron).
   */
  readonly optimizer: "asked" | "own";
  /** Whether `grad_clip_norm` is honoured. */
  readonly clips: boolean;
  /** Whether the server always clips gradients at a fixed norm. */
  readonly clipsItself: boolean;
  /** Whether two models can be trained concurrently without interference. */
  readonly severalModels: boolean;
}

const reduction = z.enum(["sum", "mean"]);

/** Parses a stored server record. */
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
