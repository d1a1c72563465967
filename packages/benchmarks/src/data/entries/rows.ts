import { z } from "zod";
import { decimalText } from "../decimal-text.ts";

/** A number, or its text as some copies have it. */
export const numberOrText: z.ZodType<string> = z.union([z.string(), z.number()]).transform(String);

/** Text that says something. */
export const text: z.ZodType<string> = z.string().trim().min(1);

/**
 * A number of a data file as a grader reads it: commas left out, `18.0` and `018` as 18.
 * @returns null for anything else
 */
export function plainNumber(written: string): string | null {
  const digits = decimalText(written.trim().replaceAll(",", ""));
  const [, sign, whole, fraction = ""] = /^(-?)0*(\d*)(?:\.(\d*?)0*)?$/u.exec(digits ?? "") ?? [];
  if (digits === null || sign === undefined) return null;
  const size = `${whole || "0"}${fraction && `.${fraction}`}`;
  return size === "0" ? size : `${sign}${size}`;
}

/** `plainNumber` as a step of a row's schema. */
export const gold: z.ZodType<string> = numberOrText.transform((written, context) => {
  const number = plainNumber(written);
  if (number !== null) return number;
  context.addIssue({ code: "custom", message: `the gold answer ${JSON.stringify(written.slice(0, 40))} is no number` });
  return z.NEVER;
});

/** Where the evaluation code of Qwen2.5-Math keeps its copies; its evaluation folder is under MIT. */
export const qwenMaths =
  "https://raw.githubusercontent.com/QwenLM/Qwen2.5-Math/a45202bd16f1ec06f433442dc1152d0074773465/evaluation/data";
