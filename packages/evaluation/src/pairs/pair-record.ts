import { z } from "zod";
import { episodeCostFields, type EpisodeCosts } from "../episode-costs.ts";
import type { RecordKind } from "../record-file.ts";

/** One problem given to one team once: what it earned, what it is made of, what it took, and what was written. */
export interface PairRecord extends EpisodeCosts {
  readonly task: string;
  readonly problem: string;
  readonly method: string;
  readonly repeat: number;
  /** What decides the sample beside: models, weights, seed. Records of others are other samples. */
  readonly config: string;
  readonly status: "scored" | "undecided" | "invalid" | "error";
  /** The task's grade, 0 to 1; null without a score. */
  readonly score: number | null;
  /** Parts of the reward by name, as the task counts them. */
  readonly measures: Readonly<Record<string, number>>;
  /** What each of the team answered. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly stopReason: string | null;
  /** From 1; more than 1 where earlier attempts failed. */
  readonly attempt: number;
  readonly error: string | null;
}

const count = z.int().min(0);
const schema: z.ZodType<PairRecord> = z.object({
  task: z.string(),
  problem: z.string(),
  method: z.string(),
  repeat: count,
  config: z.string(),
  status: z.enum(["scored", "undecided", "invalid", "error"]),
  score: z.number().nullable(),
  measures: z.record(z.string(), z.number()),
  outputs: z.record(z.string(), z.string()),
  stopReason: z.string().nullable(),
  ...episodeCostFields,
  attempt: z.int().min(1),
  error: z.string().nullable(),
});

/** What makes a sample of a pair the same sample. */
export function pairKey({
  task,
  problem,
  method,
  repeat,
  config,
}: Pick<PairRecord, "task" | "problem" | "method" | "repeat" | "config">): string {
  return JSON.stringify([task, problem, method, repeat, config]);
}

/** A line of a bench of pairs. */
export const pairRecords: RecordKind<PairRecord> = { schema, keyOf: pairKey };
