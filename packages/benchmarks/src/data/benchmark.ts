import { type Problem, questionKey, randomFromSeed, configError, dataError } from "@laconic/core";
import type { AnswerKind, Grading } from "@laconic/grading";
import type { StepsFamilyName } from "../steps/problem.ts";
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
  /** Sentences at the start of `question`, in order and separated by spaces, where the benchmark states them. */
  readonly facts?: readonly { readonly text: string; readonly needed: boolean }[];
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

export interface MadeRows {
  readonly family: StepsFamilyName;
  readonly sha256: string;
}

/** Part of a benchmark; its files are alternatives, best first. */
export interface Split {
  /** Count after `keep`. */
  readonly rows: number;
  readonly files?: readonly KnownFile[];
  readonly hub?: HubFiles;
  /** Read before the hub. */
  readonly placed?: PlacedFile;
  /** Instead of files. */
  readonly made?: MadeRows;
  /** Archive entries of the split. */
  readonly within?: RegExp;
  /** Used for few-shot examples, never scored. */
  readonly pool?: boolean;
  /** Ours: a share of the default split's distinct questions. */
  readonly part?: "train" | "test";
}

/** Describes an entry of `assets/benchmarks.json` with a row reader. */
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
    throw configError(`limit is ${limit}, expected a whole number from 1 to ${problems.length}`, {
      key: "limit",
    });
  return randomFromSeed(`subset:${seed}`).shuffle(problems).slice(0, limit);
}

/** Splits distinct questions by a fixed seed: 70 % train, 30 % test. */
export function partOf(problems: readonly BenchmarkProblem[], part: "train" | "test"): BenchmarkProblem[] {
  const keys = randomFromSeed("part").shuffle([...new Set(problems.map(questionKey))]);
  const tested = new Set(keys.slice(0, Math.round(0.3 * keys.length)));
  return problems.filter((problem) => tested.has(questionKey(problem)) === (part === "test"));
}

/** Splits that a team trains on and is scored on. */
export interface TrainingSplits {
  readonly train: string;
  readonly test: string;
}

/**
 * Training split, by default a pool or part on files, else on the hub; scored are the part's other half, or `test`.
 * @throws LaconicError `config_invalid`; `data_invalid` without a training split
 */
export function trainingSplits(benchmark: Benchmark, chosen?: string): TrainingSplits {
  const { name, splits, defaultSplit } = benchmark;
  const trainable = Object.entries(splits).filter(([, { pool, part }]) => pool === true || part === "train");
  const train = chosen ?? (trainable.find(([, { files }]) => files) ?? trainable[0])?.[0];
  if (train === undefined)
    throw dataError(
      `${name} has no training split, and its test is not trained on: name a file of problems as task.file`,
      { benchmark: name },
    );
  if (!trainable.some(([split]) => split === train))
    throw configError(
      `task.split: ${name} has no training split ${train}; it has ${trainable.map(([split]) => split).join(", ")}`,
      { key: "task.split" },
    );
  const isPart = splits[train]?.part !== undefined;
  const test = isPart ? Object.keys(splits).find((split) => splits[split]?.part === "test") : "test";
  return { train, test: test !== undefined && Object.hasOwn(splits, test) ? test : defaultSplit };
}

/** @throws LaconicError `config_invalid` */
export function splitOf(benchmark: Benchmark, name: string): Split {
  const split = Object.hasOwn(benchmark.splits, name) ? benchmark.splits[name] : undefined;
  if (split) return split;
  const names = Object.keys(benchmark.splits).join(", ");
  throw configError(`${benchmark.name} has no split ${name}; it has ${names}`, { key: "split" });
}
