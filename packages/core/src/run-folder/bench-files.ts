import type { AgentId } from "../problem.ts";
import type { FinishReason, Prompt, SamplingSettings } from "../language-model.ts";
import type { TokenCounts, TokenUsage } from "../ledger/token-usage.ts";

/** What a bench's folder holds of its samples. */
export const benchFiles = {
  /** Its settings. */
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

/** Where the calls of a sample stand in their file, in bytes. */
export interface CallsPlace {
  readonly from: number;
  readonly bytes: number;
}

/** What was asked of a model in one call, and what it replied. */
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

/** The calls of one attempt at a sample, in the order in which they were sent. */
export interface StoredCalls {
  /** `sampleKey` of the sample: what another sample's record points at is not its own. */
  readonly sample: string;
  readonly calls: readonly StoredCall[];
  /** Calls behind those, left out because of their size. */
  readonly leftOut: number;
}

/** A line of the way from a reply to its verdict: what a grader made of the answer, and of the gold where it reads that too. */
export interface GradingStep {
  readonly name: string;
  readonly answer: string;
  readonly gold: string | null;
  /** How a program's test ended: `passed`, that the tests went on behind it, or what ended them at it; only tests have it. */
  readonly ended?: string | undefined;
}

/** Characters of a text of a grading step, and steps of a verdict; the rest is cut. */
export const gradingStepLimits = { characters: 400, steps: 16 } as const;
