import { LaconicError, type Problem, randomFromSeed } from "@laconic/core";
import type { AnswerKind, Grading } from "@laconic/grading";
import type { RowSchema } from "./row-schema.ts";

/** A problem of a benchmark. */
export interface BenchmarkProblem extends Problem {
  readonly grading: Grading;
  /** Options in order, without their letters; `question` does not hold them. `questionText` renders both for a model. */
  readonly choices?: readonly string[];
  /** A worked solution, for exemplars only. */
  readonly solution?: string;
  /** The question as published requests have it, where that is not ours to the letter. */
  readonly published?: string;
}

/** What a row says; the loader adds an id where the row has none. */
export type RowProblem = Omit<BenchmarkProblem, "id"> & { readonly id?: string };

/** A file whose bytes are known. */
export interface KnownFile {
  /** Below a data folder. */
  readonly path: string;
  /** Where these very bytes are served: a commit, not a branch. */
  readonly url: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Files of a Hugging Face data set. */
export interface HubFiles {
  readonly repo: string;
  /** Patterns below the repository. */
  readonly files: readonly string[];
}

/** A file that nobody serves as it is read, or that is large: its user puts it below the data folder. */
export interface PlacedFile {
  readonly path: string;
  /** Where it is known. Elsewhere what was read is recorded, and another number of rows is said, not refused. */
  readonly sha256?: string;
  /** How its user comes by it, in a sentence. */
  readonly how: string;
}

/** A part of a benchmark. Its files are alternatives, the preferred one first. */
export interface Split {
  /** Problems, after `keep`. */
  readonly rows: number;
  readonly files?: readonly KnownFile[];
  readonly hub?: HubFiles;
  /** Read before anything is asked of the hub. */
  readonly placed?: PlacedFile;
  /** Inside an archive: the entries that belong to the split. */
  readonly within?: RegExp;
  /** For few-shot examples; never to be scored. */
  readonly pool?: boolean;
}

/** Everything known about a benchmark. The table `assets/benchmarks.json` and a row reader in `rows/`. */
export interface Benchmark {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** As the hosts state it. */
  readonly licence: string;
  readonly source: string;
  /** Of all its problems. */
  readonly answer: AnswerKind;
  /** In words. */
  readonly gold: string;
  readonly traps: readonly string[];
  readonly splits: Readonly<Record<string, Split>>;
  readonly defaultSplit: string;
  /** The benchmark whose worked solutions serve as examples, where its own data has none: papers show GSM8K's for all word problems. */
  readonly examplesFrom?: string;
  /** The part of a problem's metadata that examples are chosen by, where a protocol shows those of the question's own topic. */
  readonly topic?: string;
  /** The part of a problem's metadata that says its day, YYYY-MM-DD: a bench can ask those of a window. */
  readonly date?: string;
  /** The split whose questions methods learn on before they are scored. Default: its own pool, else `examplesFrom`'s. */
  readonly calibrateFrom?: { readonly benchmark: string; readonly split: string };
  /** Its CSV files name their columns in a first row. */
  readonly csvHeader?: true;
  /** Bytes of its longest line of JSON lines, where it is more than any other benchmark's. */
  readonly longestLine?: number;
  /** Reads a row in any of the known layouts. */
  readonly row: RowSchema<RowProblem>;
  /** Leaves problems out, as the benchmark's definition does. */
  keep?(problem: RowProblem): boolean;
  /** Picks and orders problems of all that were read. */
  select?(problems: readonly BenchmarkProblem[], split: string): BenchmarkProblem[];
}

/**
 * The first `limit` problems of a seeded shuffle. The same seed gives the same order for the same problems, and a smaller
 * limit the beginning of a larger one.
 * @throws LaconicError `config_invalid` for a limit that is no whole number from 1 up to the number of problems
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

/** @throws LaconicError `config_invalid` naming the splits there are */
export function splitOf(benchmark: Benchmark, name: string): Split {
  const split = Object.hasOwn(benchmark.splits, name) ? benchmark.splits[name] : undefined;
  if (split) return split;
  const known = Object.keys(benchmark.splits).join(", ");
  throw new LaconicError("config_invalid", `${benchmark.name} has no split ${name}; it has ${known}`, { key: "split" });
}
