import type * as z from "zod";
import type { LaconicError } from "../errors.ts";
import { issueWords } from "./issue-words.ts";

/** A value from outside as its schema has it. @throws what `refuse` makes of the first key that does not fit, and why */
export function parseBy<S extends z.ZodType>(
  schema: S,
  value: unknown,
  refuse: (key: string, reason: string) => LaconicError,
): z.output<S> {
  const parsed = schema.safeParse(value, { error: issueWords });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw refuse(issue?.path.join(".") ?? "", issue?.message ?? "");
}
