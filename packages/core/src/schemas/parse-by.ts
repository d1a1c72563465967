import type * as z from "zod";
import type { LaconicError } from "../errors.ts";
import { issueWords } from "./issue-words.ts";

/**
 * Parses by a schema.
 * @throws the result of `refuse` for the first invalid key
 */
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
