import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { seenInTraining, type SeenInTraining } from "@laconic/benchmarks";
import type { Problem } from "@laconic/core";
import { formatCount } from "@laconic/core/text";
import { z } from "zod";
import type { BenchJob } from "../bench-job.ts";
import { readRows } from "./rows-file.ts";

/** Questions of a benchmark that a trained team was trained on. */
export interface SeenByTeam extends SeenInTraining {
  readonly method: string;
  readonly benchmark: string;
}

const schema: z.ZodType<SeenByTeam[]> = z.array(
  z.object({
    method: z.string(),
    benchmark: z.string(),
    seen: z.int().min(1),
    of: z.int().min(1),
    first: z.string(),
  }),
);

const file = "seen-in-training.json";

/** Compares the questions that a trained team is asked with its training problems, benchmark by benchmark. */
export function seenByTeam(method: string, pool: readonly Problem[], jobs: readonly BenchJob[]): SeenByTeam[] {
  const sets = new Set(jobs.map(({ set }) => set));
  return [...sets].flatMap(({ benchmark, problems }) => {
    const seen = seenInTraining(pool, problems);
    return seen ? [{ method, benchmark, ...seen }] : [];
  });
}

/** Writes the rows of an opened bench; removes the file where there are none. */
export async function writeSeen(directory: string, rows: readonly SeenByTeam[]): Promise<void> {
  const path = join(directory, file);
  if (rows.length > 0) await writeFile(path, `${JSON.stringify(rows, null, 2)}\n`);
  else await rm(path, { force: true });
}

/** @throws LaconicError `data_invalid` for a damaged file; opening the bench again replaces it */
export function readSeen(directory: string): Promise<SeenByTeam[]> {
  return readRows(directory, file, schema);
}

/** A sentence for each trained team and benchmark. */
export function describeSeen(rows: readonly SeenByTeam[]): string[] {
  return rows.map(
    ({ method, benchmark, seen, of, first }) =>
      `${method}: seen in training: ${formatCount(seen)} of ${formatCount(of)} questions of ${benchmark}, such as ${first}.`,
  );
}
