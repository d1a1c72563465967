import { ledgerTotals, type Ledger, type AgentId } from "@laconic/core";
import { criticalPath, criticalSeconds, tokenCounts, type TokenCounts, sumKinds } from "@laconic/core/ledger";
import type { CallsPlace, GradingStep } from "@laconic/core/run-folder";
import { z } from "zod";

/** What an episode took, as records keep it. */
export interface EpisodeCosts extends TokenCounts {
  readonly calls: number;
  readonly readTokens: number;
  /** Tokens that cannot be written at the same time. */
  readonly criticalTokens: number;
  /** Seconds that cannot run at the same time; null where none were measured. */
  readonly criticalSeconds: number | null;
}

const count = z.int().min(0);

/** Token counts of a stored record. */
export const tokenCountFields: Record<"promptTokens" | "completionTokens", z.ZodInt> &
  Record<"cachedTokens" | "cacheWriteTokens" | "reasoningTokens", z.ZodExactOptional<z.ZodInt>> &
  Record<"costUsd", z.ZodExactOptional<z.ZodNumber>> = {
  promptTokens: count,
  completionTokens: count,
  cachedTokens: count.exactOptional(),
  cacheWriteTokens: count.exactOptional(),
  reasoningTokens: count.exactOptional(),
  costUsd: z.number().min(0).exactOptional(),
};

/** Fields of a stored record. */
export const episodeCostFields: typeof tokenCountFields & {
  readonly [K in Exclude<keyof EpisodeCosts, keyof TokenCounts>]: z.ZodType<EpisodeCosts[K]>;
} = {
  calls: count,
  ...tokenCountFields,
  readTokens: count,
  criticalTokens: count,
  // Records of before it was measured have none.
  criticalSeconds: z.number().min(0).nullable().default(null),
};

/** Of an episode that an error ended. */
export const noCosts: EpisodeCosts = {
  calls: 0,
  promptTokens: 0,
  completionTokens: 0,
  readTokens: 0,
  criticalTokens: 0,
  criticalSeconds: null,
};

/** What an episode took, by its ledger. */
export function episodeCosts(ledger: Ledger): EpisodeCosts {
  const totals = ledgerTotals(ledger);
  return {
    calls: totals.calls,
    ...tokenCounts(totals),
    readTokens: totals.readTokens,
    criticalTokens: criticalPath(ledger).writtenTokens,
    criticalSeconds: criticalSeconds(ledger),
  };
}

/** What the agents of a method saw of a question: everybody the whole, or each a share of what it states. */
export type InformationSetting = "whole" | "dealt";

/** How what questions state was dealt: with the question, all that it takes to deal it again. */
export interface Deal {
  readonly seed: string;
  readonly holders: readonly AgentId[];
}

/** What a single agent's tokens are bound to. */
export interface EqualTokens {
  /** The team, and its setting. */
  readonly method: string;
  readonly setting: InformationSetting;
  /** Prompt and completion of a question, the mean over so many samples of the team. */
  readonly tokens: number;
  readonly questions: number;
}

/** What one model took of a sample. */
export interface ModelShare extends TokenCounts {
  readonly model: string;
  readonly calls: number;
  /** Null where no price is known; 0 for a model that costs the caller nothing. */
  readonly usd: number | null;
}

/** Adds up the shares of each model, in the order in which models first occur. */
export function sumShares(shares: Iterable<ModelShare>): ModelShare[] {
  const sums = new Map<string, ModelShare>();
  for (const share of shares) {
    const before = sums.get(share.model);
    sums.set(
      share.model,
      before
        ? {
            model: share.model,
            calls: before.calls + share.calls,
            promptTokens: before.promptTokens + share.promptTokens,
            completionTokens: before.completionTokens + share.completionTokens,
            ...sumKinds([before, share]),
            usd: before.usd === null || share.usd === null ? null : before.usd + share.usd,
          }
        : share,
    );
  }
  return [...sums.values()];
}

/** One question put to one method once: everything that a table needs, and what was said. */
export interface SampleRecord extends EpisodeCosts {
  readonly benchmark: string;
  readonly problem: string;
  readonly method: string;
  readonly repeat: number;
  /** Whether every agent saw the whole question, or what it states was dealt among them. */
  readonly setting: InformationSetting;
  /** Among whom, by which seed; null for whole questions, and in records of before it was kept. */
  readonly deal: Deal | null;
  /** For a single agent of equal tokens: the team, and the mean tokens that it took for a question. */
  readonly equalTo: EqualTokens | null;
  /** Hash of all settings: records of other settings are other samples. */
  readonly config: string;
  /** How it was played, such as `php/maths@1`; null for a team that is not published, and in records of before it was kept. */
  readonly protocol: string | null;
  /** Worked examples that were shown; null in records of before it was kept. */
  readonly shots: number | null;
  /** The row of published tables that it may stand beside; null for none. */
  readonly published: string | null;
  /** What keeps it from one: what is not as published, a sentence each. */
  readonly differs: readonly string[];
  /**
   * `scored` also without an answer. `error` and `undecided` are no scores. `undecided`: the machine, or a limit of the sandbox
   * that the answer reached, prevented a verdict; a resumed bench judges it again. `error` is null for such a limit.
   */
  readonly status: "scored" | "undecided" | "error";
  /** Null without a score. */
  readonly correct: boolean | null;
  /** How far it is right, 0 to 1: F1 of words; null where the benchmark's rule knows no part, and without a score. */
  readonly score: number | null;
  readonly answer: string | null;
  readonly extracted: string | null;
  readonly rule: string | null;
  /** The way from the answer to its verdict; empty without one, and in records of before it was kept. */
  readonly steps: readonly GradingStep[];
  /** Where its calls stand in the bench's file of them; null where none were kept. */
  readonly requests: CallsPlace | null;
  readonly stopReason: string | null;
  /** What its method records besides, such as `capped`. */
  readonly notes: readonly string[];
  readonly usd: number | null;
  /** The same by model; empty for an error, and in records of before it was kept. */
  readonly byModel: readonly ModelShare[];
  readonly seconds: number;
  /** From 1; more than 1 where earlier attempts failed. */
  readonly attempt: number;
  readonly error: string | null;
  readonly gold: string;
}

const setting = z.enum(["whole", "dealt"]);
const usd = z.number().min(0).nullable();
/** A stored sample. */
export const sampleSchema: z.ZodType<SampleRecord> = z.object({
  benchmark: z.string(),
  problem: z.string(),
  method: z.string(),
  repeat: count,
  setting: setting.default("whole"),
  deal: z
    .object({ seed: z.string(), holders: z.array(z.string()) })
    .nullable()
    .default(null),
  equalTo: z
    .object({ method: z.string(), setting, tokens: z.number().min(0), questions: count })
    .nullable()
    .default(null),
  config: z.string(),
  protocol: z.string().nullable().default(null),
  shots: count.nullable().default(null),
  published: z.string().nullable().default(null),
  differs: z.array(z.string()).default(["Its records do not say how it was played."]),
  status: z.enum(["scored", "undecided", "error"]),
  correct: z.boolean().nullable(),
  score: z.number().min(0).max(1).nullable().default(null),
  answer: z.string().nullable(),
  extracted: z.string().nullable(),
  rule: z.string().nullable(),
  steps: z
    .array(
      z.object({ name: z.string(), answer: z.string(), gold: z.string().nullable(), ended: z.string().optional() }),
    )
    .default([]),
  requests: z.object({ from: count, bytes: count }).nullable().default(null),
  stopReason: z.string().nullable(),
  notes: z.array(z.string()).default([]),
  ...episodeCostFields,
  usd,
  byModel: z.array(z.object({ model: z.string(), calls: count, ...tokenCountFields, usd })).default([]),
  seconds: z.number().min(0),
  attempt: z.int().min(1),
  error: z.string().nullable(),
  gold: z.string(),
});

/** What makes a sample the same sample. */
export function sampleKey({
  benchmark,
  problem,
  method,
  repeat,
  config,
}: Pick<SampleRecord, "benchmark" | "problem" | "method" | "repeat" | "config">): string {
  return JSON.stringify([benchmark, problem, method, repeat, config]);
}
