import { z } from "zod";
import type { RowProblem } from "../benchmark.ts";
import { decimalText } from "../decimal-text.ts";

export type Rows = z.ZodType<RowProblem>;

export const numberOrText: z.ZodType<string> = z.union([z.string(), z.number()]).transform(String);

export const text: z.ZodType<string> = z.string().trim().min(1);

/** Python source, not trimmed. */
export const code: z.ZodType<string> = z.string().min(1);

/** Refuses a row inside a `transform`. */
export function refuse(context: z.RefinementCtx, message: string, ...path: string[]): never {
  context.addIssue({ code: "custom", message, ...(path.length > 0 && { path }) });
  return z.NEVER;
}

/** Normalises a number: no commas, `18.0` and `018` become 18; null for anything else. */
export function plainNumber(written: string): string | null {
  const digits = decimalText(written.trim().replaceAll(",", ""));
  const [, sign, whole, fraction = ""] = /^(-?)0*(\d*)(?:\.(\d*?)0*)?$/u.exec(digits ?? "") ?? [];
  if (digits === null || sign === undefined) return null;
  const size = `${whole || "0"}${fraction && `.${fraction}`}`;
  return size === "0" ? size : `${sign}${size}`;
}

export const gold: z.ZodType<string> = numberOrText.transform(
  (written, context) =>
    plainNumber(written) ?? refuse(context, `the gold answer ${JSON.stringify(written.slice(0, 40))} is not a number`),
);
