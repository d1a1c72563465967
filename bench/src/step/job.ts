import type { Geometry } from "../model-geometry.ts";

/** Read by a child process from standard input; equal for all sides. */
export interface StepJob {
  /** Contains config.json and model.safetensors. */
  readonly checkpoint: string;
  readonly vocabulary: number;
  readonly prompts: readonly (readonly number[])[];
  /** Replies per prompt. */
  readonly generations: number;
  /** Exact reply length: no side has an end token. */
  readonly maxTokens: number;
  readonly warmUp: number;
  readonly steps: number;
  readonly threads: number;
  readonly learningRate: number;
}

/** Seconds per step. */
export interface StepSeconds {
  readonly rollout: number;
  readonly update: number;
}

export interface StepResult {
  readonly side: string;
  readonly completionTokens: number;
  /** Counts all threads; a busy machine changes it little. */
  readonly cpu: StepSeconds;
  readonly wall: StepSeconds;
  readonly peakMiB: number;
}

export interface StepSize extends Geometry {
  readonly name: string;
  readonly prompts: number;
  readonly generations: number;
  readonly promptTokens: number;
  readonly maxTokens: number;
  readonly warmUp: number;
  readonly steps: number;
}

const batch = { prompts: 8, generations: 8, promptTokens: 16, maxTokens: 64 } as const;
const tiny = { hidden: 64, layers: 2, heads: 4, kvHeads: 2, feedForward: 192, vocabulary: 64 } as const;
const small = { hidden: 256, layers: 6, heads: 8, kvHeads: 4, feedForward: 768, vocabulary: 64 } as const;
const medium = { hidden: 512, layers: 8, heads: 8, kvHeads: 4, feedForward: 1536, vocabulary: 5120 } as const;
/** Four of 24 layers of Qwen2.5-0.5B. */
const part = { hidden: 896, layers: 4, heads: 14, kvHeads: 2, feedForward: 4864, vocabulary: 151_936 } as const;

export const stepSizes: readonly StepSize[] = [
  { name: "0.1M", ...tiny, ...batch, warmUp: 5, steps: 30 },
  { name: "4.7M", ...small, ...batch, warmUp: 2, steps: 5 },
  { name: "28M", ...medium, ...batch, warmUp: 1, steps: 2 },
  { name: "0.5B/4", ...part, ...batch, prompts: 2, promptTokens: 32, maxTokens: 32, warmUp: 1, steps: 1 },
];
