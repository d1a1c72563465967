import * as z from "zod";
import type { ProbedFamily, ProbeFigures, ProbeRecord } from "../run-folder/probe-record.ts";

const count = z.int().min(0);
const figures = { accuracy: z.number(), tokens: z.number().min(0) };
const figuresSchema: z.ZodType<ProbeFigures> = z.strictObject(figures);

const familySchema: z.ZodType<ProbedFamily> = z.strictObject({
  family: z.string(),
  change: z.string(),
  problems: count,
  isPaired: z.boolean(),
  base: figuresSchema,
  probed: figuresSchema,
  fall: z.strictObject({ value: z.number(), low: z.number(), high: z.number() }),
  unheard: z.number().exactOptional(),
});

/** What `laconic probe` stores. */
export const probeRecordSchema: z.ZodType<ProbeRecord> = z.strictObject({
  version: z.literal(1),
  step: count,
  seed: z.string(),
  base: z.strictObject({ ...figures, problems: count }),
  families: z.array(familySchema),
  skipped: z.array(z.strictObject({ family: z.string(), reason: z.string() })),
});
