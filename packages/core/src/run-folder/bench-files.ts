import type { AgentId } from "../problem.ts";
import type { FinishReason, Prompt, SamplingSettings } from "../language-model.ts";
import type { TokenCounts, TokenUsage } from "../ledger/token-usage.ts";

/** Files of a bench's folder. */
export const benchFiles = {
  settings: "bench.json",
  /** One sample per line; the last line of a sample counts. */
  samples: "samples.jsonl",
  /** A `StoredQuestion` a line. */
  questions: "questions.jsonl",
  /** A gzip member a sample, each a line with a `StoredCalls`: `zcat` gives JSON lines. */
  calls: "calls.jsonl.gz",
} as const;

/** A question of a bench, for the dashboard. */
export interface StoredQuestion {
  readonly benchmark: string;
  readonly id: string;
  readonly question: string;
  readonly gold: string;
  /** The kind of its grading, such as `numeric`. */
  readonly grading: string;
  /** The tests of a program, at most 20,000 characters. */
  readonly tests: string | null;
}

/** Byte range of a sample's calls in their file. */
export interface CallsPlace {
  readonly from: number;
  readonly bytes: number;
}

/** A call of a model: request and reply. */
export interface StoredCall extends TokenCounts {
  readonly agent: AgentId;
  readonly model: string;
  readonly prompt: Prompt;
  readonly sampling: SamplingSettings;
  /** Null where the call failed. */
  readonly reply: string | null;
  readonly finishReason: FinishReason | null;
  /** Absent where the call failed. */
  readonly counted?: TokenUsage["counted"];
  readonly seconds: number;
  readonly error: string | null;
}

/** Calls of one attempt at a sample, in the order they were sent. */
export interface StoredCalls {
  /** `sampleKey` of the sample, to detect calls of another sample. */
  readonly sample: string;
  readonly calls: readonly StoredCall[];
  /** Calls behind those, left out because of their size. */
  readonly leftOut: number;
}

/** A step from a reply to its verdict: what a grader extracted from the answer, and from the gold if it reads it. */
export interface GradingStep {
  readonly name: string;
  readonly answer: string;
  readonly gold: string | null;
  /** For tests of programs: `passed`, or what ended them. */
  readonly ended?: string | undefined;
}

/** Max characters per text, and max steps per verdict. */
export const gradingStepLimits = { characters: 400, steps: 16 } as const;
