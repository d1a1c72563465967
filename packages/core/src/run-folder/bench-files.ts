import type { AgentId } from "../problem.ts";
import type { FinishReason, Prompt, SamplingSettings } from "../language-model.ts";
import type { TokenCounts, TokenUsage } from "../ledger/token-usage.ts";

/** Files of a bench folder. */
export const benchFiles = {
  settings: "bench.json",
  /** Sample per line; the last line of a sample counts. */
  samples: "samples.jsonl",
  questions: "questions.jsonl",
  /** Gzip member per sample, each a line with a `StoredCalls`: `zcat` gives JSON lines. */
  calls: "calls.jsonl.gz",
} as const;

/** Bench question for the dashboard. */
export interface StoredQuestion {
  readonly benchmark: string;
  readonly id: string;
  readonly question: string;
  readonly gold: string;
  /** Kind of grading, such as `numeric`. */
  readonly grading: string;
  /** Program tests, at most 20,000 characters. */
  readonly tests: string | null;
}

/** Byte range of a sample's calls in their file. */
export interface CallsPlace {
  readonly from: number;
  readonly bytes: number;
}

/** Request and reply of a model call. */
export interface StoredCall extends TokenCounts {
  readonly agent: AgentId;
  readonly model: string;
  readonly prompt: Prompt;
  readonly sampling: SamplingSettings;
  /** Null if the call failed. */
  readonly reply: string | null;
  readonly finishReason: FinishReason | null;
  /** Missing if the call failed. */
  readonly counted?: TokenUsage["counted"];
  readonly seconds: number;
  readonly error: string | null;
}

/** Calls of one attempt at a sample, in order of sending. */
export interface StoredCalls {
  /** `sampleKey` of the sample, to detect calls of another sample. */
  readonly sample: string;
  readonly calls: readonly StoredCall[];
  /** Number of calls omitted at the end because of their size. */
  readonly leftOut: number;
}

/** Grading step between reply and verdict: text extracted from the answer, and from the gold if used. */
export interface GradingStep {
  readonly name: string;
  readonly answer: string;
  readonly gold: string | null;
  /** Result of program tests: `passed`, or the failure. */
  readonly ended?: string | undefined;
}

/** Max characters per text, and max steps per verdict. */
export const gradingStepLimits = { characters: 400, steps: 16 } as const;
