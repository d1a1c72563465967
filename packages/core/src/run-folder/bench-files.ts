import type { AgentId } from "../problem.ts";
import type { FinishReason, Prompt, SamplingSettings } from "../language-model.ts";
import type { TokenCounts, TokenUsage } from "../ledger/token-usage.ts";

/** Files of a bench folder. */
export const benchFiles = {
  settings: "bench.json",
  /** The last line of a sample counts. */
  samples: "samples.jsonl",
  questions: "questions.jsonl",
  /** A gzip member per sample: `zcat` gives JSON lines. */
  calls: "calls.jsonl.gz",
} as const;

/** Bench question for the dashboard. */
export interface StoredQuestion {
  readonly benchmark: string;
  readonly id: string;
  readonly question: string;
  readonly gold: string;
  readonly grading: string;
  /** At most 20,000 characters. */
  readonly tests: string | null;
}

/** Byte range of a sample's calls. */
export interface CallsPlace {
  readonly from: number;
  readonly bytes: number;
}

/** Request and reply. */
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

/** Text extracted from the answer, and from the gold if used. */
export interface GradingStep {
  readonly name: string;
  readonly answer: string;
  readonly gold: string | null;
  readonly ended?: string | undefined;
}

/** Max characters per text, max steps per verdict. */
export const gradingStepLimits = { characters: 400, steps: 16 } as const;
