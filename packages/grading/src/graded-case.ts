import { dataError } from "@laconic/core";
import { JsonText } from "@laconic/core/json";
import { issueWords } from "@laconic/core/schemas";
import { z } from "zod";
import { extractLetter, gradeLetter } from "./letter-answer.ts";
import type { MathsOptions } from "./maths/grade-maths.ts";
import type { MathsGrader } from "./maths/maths-grader.ts";
import { gradeNumber, gradePublishedNumber } from "./number-answer.ts";
import { gradeText } from "./text-answer.ts";
import { noAnswer, type Verdict } from "./verdict.ts";

/** Unknown parameters are kept and ignored. */
export interface CaseParams {
  /** Answer formats: `latex`, `expr`. */
  readonly match_types?: readonly string[] | undefined;
  /** Decimals for rounding (1 to 15), else the largest difference, or one per element. */
  readonly precision?: number | readonly number[] | undefined;
  /** False if variables may have other names. */
  readonly strict?: boolean | undefined;
  /** Inequalities match a gold interval. Default: unless `math-equivalence`. */
  readonly allow_set_relation_comp?: boolean | undefined;
  readonly letters?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
  readonly grader?: string | undefined;
  readonly wrap?: string | undefined;
}

/** A labelled reply. */
export interface GradedCase {
  readonly id: string;
  readonly kind:
    | "math-equivalence"
    | "maths"
    | "gsm8k-extraction"
    | "numeric"
    | "letter-extraction"
    | "letter"
    | "text";
  readonly gold: string | null;
  readonly prediction: string | null;
  readonly verdict?: boolean | null | undefined;
  /** `computed` texts are only LaTeX. */
  readonly origin?: string | undefined;
  readonly params?: CaseParams | null | undefined;
  readonly rule?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

const exact = z.instanceof(JsonText).transform((number) => number.text);
const digits = z.string().regex(/^\d[\d.]*(?:e[-+]?\d+)?$/iu);
const difference = z.union([z.number(), digits.transform(Number), exact.transform(Number)]);
const text = z.union([z.string(), z.number().transform(String), exact]);

const schema: z.ZodType<GradedCase> = z.object({
  id: text,
  kind: z.enum(["math-equivalence", "maths", "gsm8k-extraction", "numeric", "letter-extraction", "letter", "text"]),
  gold: text.nullish().transform((gold) => gold ?? null),
  prediction: text.nullable(),
  verdict: z.boolean().nullish(),
  origin: z
    .string()
    .nullish()
    .transform((origin) => origin ?? undefined),
  rule: z.string().optional(),
  tags: z.array(z.string()).optional(),
  params: z
    .looseObject({
      match_types: z.array(z.string()).optional(),
      precision: z.union([difference, z.array(difference).min(1)]).optional(),
      strict: z.boolean().optional(),
      allow_set_relation_comp: z.boolean().optional(),
      letters: z
        .string()
        .regex(/^[A-Z]{2,26}$/u)
        .optional(),
      ignoreCase: z.boolean().optional(),
      grader: z.string().optional(),
      wrap: z.string().optional(),
    })
    .nullish(),
});

/** Invalid row from 1, and the reason. */
export interface CaseRefusal {
  readonly file: string;
  readonly row: number;
  readonly reason: string;
}

/** Row, as from `jsonLines`. */
export type CaseRow = { readonly file: string; readonly row: number; readonly value: unknown } | CaseRefusal;

/** Reads cases in row order; invalid rows become refusals. */
export function* readGradedCases(rows: Iterable<CaseRow>): Generator<GradedCase | CaseRefusal> {
  const seen = new Map<string, number>();
  for (const row of rows) {
    if ("reason" in row) {
      yield row;
      continue;
    }
    const parsed = schema.safeParse(row.value, { error: issueWords });
    const location = { file: row.file, row: row.row };
    if (!parsed.success) {
      const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "row"}: ${message}`);
      yield { ...location, reason: issues.join("; ") };
      continue;
    }
    const before = seen.get(parsed.data.id);
    if (before === undefined) {
      seen.set(parsed.data.id, row.row);
      yield parsed.data;
    } else yield { ...location, reason: `the id ${parsed.data.id} is that of row ${before}` };
  }
}

/** Extraction if the gold is missing. */
export type CaseVerdict = Omit<Verdict, "correct"> & { readonly correct: boolean | null };

/**
 * Grades a case like a benchmark, or by lm-evaluation-harness if it says so.
 * @throws LaconicError `data_invalid` for a missing gold
 */
export async function gradeCase(item: GradedCase, maths: MathsGrader): Promise<CaseVerdict> {
  const reply = item.prediction ?? "";
  if (item.kind === "letter-extraction" || item.kind === "letter") {
    const letters = item.params?.letters ?? "ABCDE";
    if (item.gold !== null) return gradeLetter(reply, item.gold, letters);
    const extracted = extractLetter(reply, letters);
    return extracted
      ? { correct: null, extracted: extracted.answer, rule: extracted.rule, certainty: "exact" }
      : { ...noAnswer, correct: null };
  }
  if (item.gold === null) throw dataError(`case ${item.id}: gold is null, expected a text`, { id: item.id });
  if (item.kind === "text") return gradeText(reply, item.gold, { ignoreCase: item.params?.ignoreCase === true });
  if (item.kind === "gsm8k-extraction" || item.kind === "numeric") {
    const named = /flexible-extract|strict-match/u.exec(item.params?.grader ?? "")?.[0];
    return named === undefined
      ? gradeNumber(reply, item.gold)
      : gradePublishedNumber(reply, item.gold, named as "flexible-extract" | "strict-match");
  }
  return maths.grade(reply, item.gold, mathsOptions(item));
}

function mathsOptions({ kind, params, origin }: GradedCase): MathsOptions {
  const { match_types: types, precision, strict, allow_set_relation_comp: inequalities } = params ?? {};
  const bare = origin === "computed" || params?.wrap !== undefined;
  return {
    ...(types && { forms: { latex: types.includes("latex"), plain: types.includes("expr") } }),
    ...(strict === false && { strictNames: false }),
    // Math-Verify refuses them by default.
    inequalities: inequalities ?? kind !== "math-equivalence",
    ...(kind === "maths" && { bareGold: true }),
    ...(bare && { bareGold: true, bareReply: true }),
    // Small integers are decimals, others differences.
    ...(precision !== undefined &&
      (typeof precision === "number" && Number.isInteger(precision) && precision >= 1 && precision <= 15
        ? { digits: precision }
        : { tolerance: precision })),
  };
}
