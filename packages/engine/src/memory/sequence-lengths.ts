import type { ModelConfig } from "../transformer/model-config.ts";
import { planMemory, type MemorySettings } from "./plan-memory.ts";

/** Sequences of one length that share their prompts and nothing else. */
export interface SequenceLengths {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Sequences to a prompt; 1 by default. */
  readonly repliesPerPrompt?: number;
}

/** Rows that some of them take: every prompt once. */
export function rowsOf(
  { promptTokens, completionTokens, repliesPerPrompt = 1 }: SequenceLengths,
  sequences: number,
): number {
  return Math.ceil(sequences / repliesPerPrompt) * promptTokens + sequences * completionTokens;
}

/** How many of them take at most `rows`. */
export function sequencesWithin(lengths: SequenceLengths, rows: number): number {
  const { promptTokens, completionTokens, repliesPerPrompt = 1 } = lengths;
  const groups = Math.floor(rows / rowsOf(lengths, repliesPerPrompt));
  const rest = rows - groups * rowsOf(lengths, repliesPerPrompt) - promptTokens;
  return groups * repliesPerPrompt + Math.max(0, Math.floor(rest / completionTokens));
}

/** What fits into a device's memory; 0 when not even one does. */
export interface LargestBatches {
  /** Sequences of one training micro-batch, and the rows that they take. */
  readonly microBatch: number;
  readonly maxTokensPerMicroBatch: number;
  readonly rollouts: number;
}

/** No batch is planned beyond this: more would not be faster. */
const most = { microBatchTokens: 1 << 20, rollouts: 1 << 16 } as const;

/** The largest micro-batch and the largest rollout batch of sequences of the planned length. */
export function largestBatches(
  config: ModelConfig,
  settings: Omit<MemorySettings, "microBatch" | "rollouts">,
  memoryBytes: number,
): LargestBatches {
  const sequences = sequencesWithin(settings, most.microBatchTokens);
  const microBatch = largest(Math.max(1, sequences), (count) => {
    return planMemory(config, { ...settings, microBatch: count, rollouts: 0 }).training <= memoryBytes;
  });
  return {
    microBatch,
    maxTokensPerMicroBatch: rowsOf(settings, microBatch),
    rollouts: largest(most.rollouts, (rollouts) => {
      return planMemory(config, { ...settings, microBatch: 0, rollouts }).sampling <= memoryBytes;
    }),
  };
}

/** The largest count from 0 to `limit` that fits, where what fits is a beginning of them. */
function largest(limit: number, fits: (count: number) => boolean): number {
  let known = 0;
  let beyond = 1;
  while (beyond <= limit && fits(beyond)) [known, beyond] = [beyond, 2 * beyond];
  beyond = Math.min(beyond, limit + 1);
  while (beyond - known > 1) {
    const middle = Math.floor((known + beyond) / 2);
    if (fits(middle)) known = middle;
    else beyond = middle;
  }
  return known;
}
