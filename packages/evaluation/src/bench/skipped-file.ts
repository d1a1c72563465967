import { formatCount } from "@laconic/core/text";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Unpartitioned } from "../bench-plan.ts";
import { z } from "zod";
import { readRows } from "./rows-file.ts";

const schema: z.ZodType<Unpartitioned[]> = z.array(
  z.object({
    benchmark: z.string(),
    method: z.string(),
    questions: z.int().min(1),
    of: z.int().min(1),
    reason: z.string().nullable().default(null),
  }),
);

const file = "left-out.json";

/** Counted anew each time that a bench is opened; nothing is written where nothing is left out. */
export async function writeSkipped(directory: string, skipped: readonly Unpartitioned[]): Promise<void> {
  if (skipped.length > 0) await writeFile(join(directory, file), `${JSON.stringify(skipped, null, 2)}\n`);
}

/** @throws LaconicError `data_invalid` for a damaged file: opening the bench again writes it anew */
export function readSkipped(directory: string): Promise<Unpartitioned[]> {
  return readRows(directory, file, schema);
}

/** What the dealt setting lacks, a sentence each: single questions of methods, and whole methods with their reasons. */
export function describeSkipped(skipped: readonly Unpartitioned[]): string[] {
  const each = skipped
    .filter(({ reason }) => reason === null)
    .map(
      ({ method, questions, of, benchmark }) =>
        `${method}: ${formatCount(questions)} of ${formatCount(of)} questions of ${benchmark}`,
    );
  const reasons = new Map<string, Set<string>>();
  for (const { method, reason } of skipped)
    if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? new Set()).add(method));
  return [
    ...(each.length > 0
      ? [`Left out, because they state less than two facts that could be dealt among the team: ${each.join("; ")}.`]
      : []),
    ...[...reasons].map(
      ([reason, methods]) => `Played on whole questions alone: ${[...methods].join(", ")}. ${reason}`,
    ),
  ];
}
