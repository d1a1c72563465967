import { LaconicError, type Problem, randomFromSeed } from "@laconic/core";
import type { AnswerKind, Grading } from "@laconic/grading";
import type { RowSchema } from "./row-schema.ts";

/** A problem of a benchmark. */
export interface BenchmarkProblem extends Problem {
  readonly grading: Grading;
  /** Options without their letters, not part of `question`; see `questionText`. */
  readonly choices?: readonly string[];
  /** Worked solution, for exemplars only. */
  readonly solution?: string;
  /** Question as in published requests, if it differs. */
  readonly published?: string;
}

/** A parsed row; the loader adds missing ids. */
export type RowProblem = Omit<BenchmarkProblem, "id"> & { readonly id?: string };

/** A known file. */
export interface KnownFile {
  /** Relative to the data folder. */
  readonly path: string;
  /** Permanent address of a commit. */
  readonly url: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Files of a Hugging Face data set. */
export interface HubFiles {
  readonly repo: string;
  /** Patterns relative to the repository. */
  readonly files: readonly string[];
}

/** A file that users put into the data folder. */
export interface PlacedFile {
  readonly path: string;
  /** Without it, the read bytes are recorded, and another row count only warns. */
  readonly sha256?: string;
  /** How to get it. */
  readonly how: string;
}

/** Part of a benchmark; its files are alternatives, best first. */
export interface Split {
  /** Number of problems after `keep`. */
  readonly rows: number;
  readonly files?: readonly KnownFile[];
  readonly hub?: HubFiles;
  /** Read before any request to the hub. */
  readonly placed?: PlacedFile;
  /** Archive entries of the split. */
  readonly within?: RegExp;
  /** Only for few-shot examples, never scored. */
  readonly pool?: boolean;
}

/** Entry of `assets/benchmarks.json` with a row reader of `rows/`. */
export interface Benchmark {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** Licence stated by the hosts. */
  readonly licence: string;
  readonly source: string;
  readonly answer: AnswerKind;
  readonly gold: string;
  readonly traps: readonly string[];
  readonly splits: Readonly<Record<string, Split>>;
  readonly defaultSplit: string;
  /** Benchmark with worked solutions, if this one has none. */
  readonly examplesFrom?: string;
  /** Metadata key of the topic, for examples of the same topic. */
  readonly topic?: string;
  /** Metadata key of the date (YYYY-MM-DD), for time windows. */
  readonly date?: string;
  /** Split for calibration. Default: its pool, else that of `examplesFrom`. */
  readonly calibrateFrom?: { readonly benchmark: string; readonly split: string };
  /** CSV files have a header. */
  readonly csvHeader?: true;
  /** Max bytes per JSON line, if unusually long. */
  readonly longestLine?: number;
  readonly row: RowSchema<RowProblem>;
  keep?(problem: RowProblem): boolean;
  select?(problems: readonly BenchmarkProblem[], split: string): BenchmarkProblem[];
}

/**
 * First `limit` problems of a seeded shuffle; smaller limits give prefixes.
 * @throws LaconicError `config_invalid` for a limit outside 1 to the number of problems
 */
export function seededSubset<T>(problems: readonly T[], options: { limit?: number; seed: string | number }): T[] {
  const { limit = problems.length, seed } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > problems.length)
    throw new LaconicError(
      "config_invalid",
      `limit is ${limit}, expected a whole number from 1 to ${problems.length}`,
      {
        key: "limit",
      },
    );
  return randomFromSeed(`subset:${seed}`).shuffle(problems).slice(0, limit);
}

/** @throws LaconicError `config_invalid` naming the splits */
export function splitOf(benchmark: Benchmark, name: string): Split {
  const split = Object.hasOwn(benchmark.splits, name) ? benchmark.splits[name] : undefined;
  if (split) return split;
  const known = Object.keys(benchmark.splits).join(", ");
  throw new LaconicError("config_invalid", `${benchmark.name} has no split ${name}; it has ${known}`, { key: "split" });
}
