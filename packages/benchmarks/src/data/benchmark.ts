import { LaconicError, type Problem, randomFromSeed } from "@laconic/core";
import type { AnswerKind, Grading } from "@laconic/grading";
import type { RowSchema } from "./row-schema.ts";

/** A problem of a benchmark. */
export interface BenchmarkProblem extends Problem {
  readonly grading: Grading;
  /** Options without letters, not part of `question`. */
  readonly choices?: readonly string[];
  /** Used for exemplars only. */
  readonly solution?: string;
  /** Question as in published requests. */
  readonly published?: string;
}

/** The loader adds missing ids. */
export type RowProblem = Omit<BenchmarkProblem, "id"> & { readonly id?: string };

/** A known file. */
export interface KnownFile {
  /** Relative to the data folder. */
  readonly path: string;
  /** Permanent address. */
  readonly url: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Files of a Hugging Face data set. */
export interface HubFiles {
  readonly repo: string;
  readonly files: readonly string[];
}

/** A file that users provide. */
export interface PlacedFile {
  readonly path: string;
  /** Checksum; if missing, another row count only warns. */
  readonly sha256?: string;
  /** How to get it. */
  readonly how: string;
}

/** Part of a benchmark; its files are alternatives, best first. */
export interface Split {
  /** Count after `keep`. */
  readonly rows: number;
  readonly files?: readonly KnownFile[];
  readonly hub?: HubFiles;
  /** Read before the hub. */
  readonly placed?: PlacedFile;
  /** Archive entries of the split. */
  readonly within?: RegExp;
  /** Used for few-shot examples, never scored. */
  readonly pool?: boolean;
}

/** Entry of `assets/benchmarks.json` with a row reader. */
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
  /** Source of worked solutions. */
  readonly examplesFrom?: string;
  /** Metadata key of the topic. */
  readonly topic?: string;
  /** Metadata key of the date (YYYY-MM-DD). */
  readonly date?: string;
  /** Split for calibration. Default: its pool, else that of `examplesFrom`. */
  readonly calibrateFrom?: { readonly benchmark: string; readonly split: string };
  /** CSV files have a header. */
  readonly csvHeader?: true;
  /** Max bytes per JSON line. */
  readonly longestLine?: number;
  readonly row: RowSchema<RowProblem>;
  keep?(problem: RowProblem): boolean;
  select?(problems: readonly BenchmarkProblem[], split: string): BenchmarkProblem[];
}

/**
 * First problems of a seeded shuffle; smaller limits give prefixes.
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

/** @throws LaconicError `config_invalid` */
export function splitOf(benchmark: Benchmark, name: string): Split {
  const split = Object.hasOwn(benchmark.splits, name) ? benchmark.splits[name] : undefined;
  if (split) return split;
  const known = Object.keys(benchmark.splits).join(", ");
  throw new LaconicError("config_invalid", `${benchmark.name} has no split ${name}; it has ${known}`, { key: "split" });
}
