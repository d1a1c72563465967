import { findFiles } from "#platform";
import { LaconicError } from "@laconic/core";
import type { Benchmark } from "./benchmark.ts";
import { contamination, type Overlap } from "./contamination.ts";
import { loadSplit, type LoadedSplit } from "./load-split.ts";
import { benchmarks } from "./registry.ts";

/** A split, and whether its files are in a folder. */
export interface KeptSplit {
  readonly benchmark: string;
  readonly split: string;
  readonly problems: number;
  readonly pool: boolean;
  readonly licence: string;
  /** Null for pinned files only. */
  readonly hub: string | null;
  readonly here: boolean;
}

/** Errors and notes of a split. */
export interface SplitCheck {
  readonly benchmark: string;
  readonly split: string;
  readonly problems: number;
  readonly complaints: readonly string[];
  readonly notes: readonly string[];
}

/** Lists the splits of all benchmarks. */
export function listSplits(folder: string): Promise<KeptSplit[]> {
  return Promise.all(
    benchmarks.flatMap((benchmark) =>
      Object.entries(benchmark.splits).map(async ([split, { rows: problems, hub, pool = false }]) => ({
        benchmark: benchmark.name,
        split,
        problems,
        pool,
        licence: benchmark.licence,
        hub: hub?.repo ?? null,
        here: await isHere(benchmark, split, folder),
      })),
    ),
  );
}

/** Checks bytes, rows, and revealed test questions. */
export async function checkSplits(chosen: readonly Benchmark[], folder: string): Promise<SplitCheck[]> {
  return (await Promise.all(chosen.map((benchmark) => checkBenchmark(benchmark, folder)))).flat();
}

async function checkBenchmark(benchmark: Benchmark, folder: string): Promise<SplitCheck[]> {
  const loaded: { readonly split: string; readonly result: CheckedSplit }[] = [];
  for (const split of Object.keys(benchmark.splits))
    if (await isHere(benchmark, split, folder)) {
      const files = await findFiles(benchmark, split, folder);
      const result = await loadSplit(benchmark, split, files, { mode: "lenient", allowChanged: true }).catch(
        unreadable,
      );
      loaded.push({ split, result });
    }
  const scored = loaded.filter(({ split }) => !benchmark.splits[split]?.pool).flatMap(({ result }) => result.problems);
  return loaded.map(({ split, result: { problems, refused, warnings } }) => {
    const overlaps = benchmark.splits[split]?.pool ? contamination(problems, scored) : [];
    const pairs = (wanted: Overlap["kind"], verb: string): string[] =>
      listed(overlaps.filter(({ kind }) => kind === wanted).map(({ pool, test }) => `${pool} ${verb} ${test}`));
    return {
      benchmark: benchmark.name,
      split,
      problems: problems.length,
      complaints: [
        ...warnings,
        ...listed(refused.map(({ file, row, reason }) => `${file} row ${row}: ${reason}`)),
        ...pairs("equal", "is"),
      ],
      notes: pairs("shared-words", "shares 13 words with"),
    };
  });
}

type CheckedSplit = Pick<LoadedSplit, "problems" | "refused" | "warnings">;

/** Unreadable files are complaints. */
function unreadable(error: unknown): CheckedSplit {
  if (LaconicError.is(error) && error.code === "data_invalid")
    return { problems: [], refused: [], warnings: [error.message] };
  throw error;
}

const maxListed = 5;

function listed(lines: readonly string[]): string[] {
  const more = lines.length - maxListed;
  return more > 0 ? [...lines.slice(0, maxListed), `and ${more} more`] : [...lines];
}

async function isHere(benchmark: Benchmark, split: string, folder: string): Promise<boolean> {
  // Drawing the rows takes seconds.
  if (benchmark.splits[split]?.made) return true;
  return findFiles(benchmark, split, folder).then(
    () => true,
    () => false,
  );
}
