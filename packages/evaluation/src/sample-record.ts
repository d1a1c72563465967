import { ledgerTotals, type Ledger, type AgentId } from "@laconic/core";
import { grouped } from "@laconic/core/numeric";
import { criticalPath, criticalSeconds, tokenCounts, type TokenCounts, sumKinds } from "@laconic/core/ledger";
import type { CallsPlace, GradingStep } from "@laconic/core/run-folder";
import { z } from "zod";

export interface EpisodeCosts extends TokenCounts {
  readonly calls: number;
  readonly readTokens: number;
  /** Tokens of the longest sequential path. */
  readonly criticalTokens: number;
  /** Measured critical-path seconds, or null. */
  readonly criticalSeconds: number | null;
}

const count = z.int().min(0);
const text = z.string();

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

export const episodeCostFields: typeof tokenCountFields & {
  readonly [K in Exclude<keyof EpisodeCosts, keyof TokenCounts>]: z.ZodType<EpisodeCosts[K]>;
} = {
  calls: count,
  ...tokenCountFields,
  readTokens: count,
  criticalTokens: count,
  // Missing in old records.
  criticalSeconds: z.number().min(0).nullable().default(null),
};

export const noCosts: EpisodeCosts = {
  calls: 0,
  promptTokens: 0,
  completionTokens: 0,
  readTokens: 0,
  criticalTokens: 0,
  criticalSeconds: null,
};

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

/** Agents see the whole question, or each a share. */
export type InformationSetting = "whole" | "dealt";

/** Deal of questions among agents. */
export interface Deal {
  readonly seed: string;
  readonly holders: readonly AgentId[];
}

/** Team whose mean tokens limit a method. */
export interface EqualTokens {
  readonly method: string;
  readonly setting: InformationSetting;
  /** Mean prompt and completion tokens per question. */
  readonly tokens: number;
  readonly questions: number;
}

/** Share of one model in a sample. */
export interface ModelShare extends TokenCounts {
  readonly model: string;
  readonly calls: number;
  /** Null without a price; 0 for a free model. */
  readonly usd: number | null;
}

export function sumShares(shares: Iterable<ModelShare>): ModelShare[] {
  return grouped(shares, ({ model }) => model).map((same) => {
    const sum = (of: (share: ModelShare) => number) => same.reduce((total, share) => total + of(share), 0);
    return {
      model: same[0].model,
      calls: sum(({ calls }) => calls),
      promptTokens: sum(({ promptTokens }) => promptTokens),
      completionTokens: sum(({ completionTokens }) => completionTokens),
      ...sumKinds(same),
      usd: same.some((share) => share.usd === null) ? null : sum((share) => share.usd ?? 0),
    };
  });
}

/** Answer of one method to one question. */
export interface SampleRecord extends EpisodeCosts {
  readonly benchmark: string;
  readonly problem: string;
  readonly method: string;
  readonly repeat: number;
  readonly setting: InformationSetting;
  /** Null for whole questions, and in old records. */
  readonly deal: Deal | null;
  readonly equalTo: EqualTokens | null;
  /** Hash of all settings. */
  readonly config: string;
  /** Such as `php/maths@1`; null for unpublished teams. */
  readonly protocol: string | null;
  /** Number of worked examples; null in old records. */
  readonly shots: number | null;
  /** Comparable row of published tables. */
  readonly published: string | null;
  /** Differences to the published method, as sentences. */
  readonly differs: readonly string[];
  /**
   * `scored` includes missing answers. `undecided` answers lack a verdict and are graded again. `error` is null for a
   * sandbox limit.
   */
  readonly status: "scored" | "undecided" | "error";
  /** Verdict; null without a score. */
  readonly correct: boolean | null;
  /** Word F1, if the benchmark has partial scores. */
  readonly score: number | null;
  readonly answer: string | null;
  readonly extracted: string | null;
  readonly rule: string | null;
  /** Steps to the verdict; empty in old records. */
  readonly steps: readonly GradingStep[];
  /** Position in the bench's file of calls. */
  readonly requests: CallsPlace | null;
  readonly stopReason: string | null;
  /** Notes of the method, such as `capped`. */
  readonly notes: readonly string[];
  /** US dollars; null without a known price. */
  readonly usd: number | null;
  /** Empty for errors, and in old records. */
  readonly byModel: readonly ModelShare[];
  readonly seconds: number;
  readonly attempt: number;
  readonly error: string | null;
  readonly gold: string;
}

const setting = z.enum(["whole", "dealt"]);
const usd = z.number().min(0).nullable();
export const sampleSchema: z.ZodType<SampleRecord> = z.object({
  benchmark: text,
  problem: text,
  method: text,
  repeat: count,
  setting: setting.default("whole"),
  deal: z
    .object({ seed: text, holders: z.array(text) })
    .nullable()
    .default(null),
  equalTo: z
    .object({ method: text, setting, tokens: z.number().min(0), questions: count })
    .nullable()
    .default(null),
  config: text,
  protocol: text.nullable().default(null),
  shots: count.nullable().default(null),
  published: text.nullable().default(null),
  differs: z.array(text).default(["Its records do not say how it was played."]),
  status: z.enum(["scored", "undecided", "error"]),
  correct: z.boolean().nullable(),
  score: z.number().min(0).max(1).nullable().default(null),
  answer: text.nullable(),
  extracted: text.nullable(),
  rule: text.nullable(),
  steps: z.array(z.object({ name: text, answer: text, gold: text.nullable(), ended: text.optional() })).default([]),
  requests: z.object({ from: count, bytes: count }).nullable().default(null),
  stopReason: text.nullable(),
  notes: z.array(text).default([]),
  ...episodeCostFields,
  usd,
  byModel: z.array(z.object({ model: text, calls: count, ...tokenCountFields, usd })).default([]),
  seconds: z.number().min(0),
  attempt: z.int().min(1),
  error: text.nullable(),
  gold: text,
});

export function sampleKey(
  record: Pick<SampleRecord, "benchmark" | "problem" | "method" | "repeat" | "config">,
): string {
  const { benchmark, problem, method, repeat, config } = record;
  return JSON.stringify([benchmark, problem, method, repeat, config]);
}
