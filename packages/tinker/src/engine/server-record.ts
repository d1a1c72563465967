import { z } from "zod";

/** Server behaviour that the protocol leaves open, measured by `probeServer`. */
export interface ServerRecord {
  readonly baseModel: string;
  /** Max tokens of prompt and reply; null if not reported. */
  readonly contextLength: number | null;
  /** How the loss combines sequences and positions. */
  readonly reduction: { readonly sequences: "sum" | "mean"; readonly positions: "sum" | "mean" };
  /** Whether a numbered request sent twice runs once. */
  readonly deduplicates: boolean;
  /** Content of `prompt_logprobs`: nothing, all but the first, or null for the first. */
  readonly promptLogProbs: "none" | "without-first" | "null-first";
  /** Temperature of reported log-probs. */
  readonly sampledAt: "one" | "sampling";
  /** Tells whether a sampler keeps its weights during training. */
  readonly samplers: "frozen" | "live";
  /** Step metric with the global gradient norm, or null. */
  readonly gradNorm: string | null;
  /** Tells whether steps use the requested Adam betas and epsilon (not SkyRL on FSDP and Megatron). */
  readonly optimizer: "asked" | "own";
  /** Whether `grad_clip_norm` is honoured. */
  readonly clips: boolean;
  /** True if the server always clips at a fixed norm. */
  readonly clipsItself: boolean;
  /** True if two models can be trained concurrently. */
  readonly severalModels: boolean;
}

const reduction = z.enum(["sum", "mean"]);

/** Parses a stored server record. */
export const serverRecord: z.ZodType<ServerRecord> = z.object({
  baseModel: z.string(),
  contextLength: z.int().min(1).nullable(),
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
