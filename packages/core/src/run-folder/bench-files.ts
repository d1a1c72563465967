import type { AgentId } from "../problem.ts";
import type { FinishReason, Prompt, SamplingSettings } from "../language-model.ts";
import type { TokenCounts, TokenUsage } from "../ledger/token-usage.ts";

export const benchFiles = {
  settings: "bench.json",
  /** The last line of a sample counts. */
  samples: "samples.jsonl",
  questions: "questions.jsonl",
  /** A gzip member per sample: `zcat` gives JSON lines. */
  calls: "calls.jsonl.gz",
} as const;

export interface StoredQuestion {
  readonly benchmark: string;
  readonly id: string;
  readonly question: string;
  readonly gold: string;
  readonly grading: string;
  /** At most 20,000 characters. */
  readonly tests: string | null;
}

export interface CallsPlace {
  readonly from: number;
  readonly bytes: number;
}

export interface StoredCall extends TokenCounts {
  readonly agent: AgentId;
  readonly model: string;
  readonly prompt: Prompt;
  readonly sampling: SamplingSettings;
  /** Null if the call failed. */
  readonly reply: string | null;
  readonly finishReason: FinishReason | null;
  readonly counted?: TokenUsage["counted"];
  readonly seconds: number;
  readonly error: string | null;
}

/** Calls of a sample, in order of sending. */
export interface StoredCalls {
  /** Detects calls of another sample. */
  readonly sample: string;
  readonly calls: readonly StoredCall[];
  /** Omitted at the end because of size. */
  readonly leftOut: number;
}

export interface GradingStep {
  readonly name: string;
  readonly answer: string;
  readonly gold: string | null;
  readonly ended?: string | undefined;
}

export const gradingStepLimits = { characters: 400, steps: 16 } as const;
