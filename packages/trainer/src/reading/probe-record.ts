import type { Estimate } from "@laconic/core/numeric";
import * as z from "zod";

export interface ProbeFigures {
  /** Mean grade, 0 to 1. */
  readonly accuracy: number;
  /** Mean tokens written per episode, end tokens included. */
  readonly tokens: number;
  /** Means of what the reward counts, where every problem has a counterpart. */
  readonly measures?: Readonly<Record<string, number>>;
}

/** A trained team on the problems of one family, beside the run's own test problems. */
export interface ProbedFamily {
  readonly family: string;
  readonly change: string;
  /** Those with a grade on both sides where the two are paired. */
  readonly problems: number;
  /** Whether each problem stands beside one test problem, with the same random numbers. */
  readonly isPaired: boolean;
  readonly base: ProbeFigures;
  readonly probed: ProbeFigures;
  /** Accuracy of the base less that of the family, and its 95 % interval: shares, not points. */
  readonly fall: Estimate;
  /** Of `fresh-reader` alone: accuracy of the same reader without any message. */
  readonly unheard?: number;
}

/** What `laconic analyze probe` found of a run: `probe.json` in its folder. */
export interface ProbeRecord {
  readonly version: 1;
  /** Training step of the team. */
  readonly step: number;
  readonly seed: string;
  /** The team on the run's own test problems. */
  readonly base: ProbeFigures & { readonly problems: number };
  readonly families: readonly ProbedFamily[];
  /** Families that the task cannot have, or this run. */
  readonly skipped: readonly { readonly family: string; readonly reason: string }[];
}

const count = z.int().min(0);
const figures = {
  accuracy: z.number(),
  tokens: z.number().min(0),
  measures: z.record(z.string(), z.number()).exactOptional(),
};
const figuresSchema: z.ZodType<ProbeFigures> = z.strictObject(figures);

const familySchema: z.ZodType<ProbedFamily> = z.strictObject({
  family: z.string(),
  change: z.string(),
  problems: count,
  isPaired: z.boolean(),
  base: figuresSchema,
  probed: figuresSchema,
  fall: z.strictObject({ value: z.number(), low: z.number().nullable(), high: z.number().nullable() }),
  unheard: z.number().exactOptional(),
});

export const probeRecordSchema: z.ZodType<ProbeRecord> = z.strictObject({
  version: z.literal(1),
  step: count,
  seed: z.string(),
  base: z.strictObject({ ...figures, problems: count }),
  families: z.array(familySchema),
  skipped: z.array(z.strictObject({ family: z.string(), reason: z.string() })),
});
