import { resolve } from "node:path";
import type { Baseline, Exemplar } from "@laconic/baselines";
import { benchmarks, seededSubset, type BenchmarkProblem } from "@laconic/benchmarks";
import { LaconicError } from "@laconic/core";
import { issueWords } from "@laconic/core/schemas";
import type { BenchSet } from "@laconic/evaluation";
import { z } from "zod";
import {
  checkSourceInputs,
  fromFolder,
  inFolder,
  isModuleText,
  partsOfFileText,
  referenceTitle,
  resolveReference,
  sourceInputs,
  sourcesOf,
  type Reference,
} from "@laconic/runtime/resolver";

/** Questions of one's own as a value: what `bench --benchmarks ./board.ts` takes, or a function that gives it. */
export interface Board {
  readonly name: string;
  /** With how each is graded. */
  readonly problems: readonly BenchmarkProblem[];
  /** For few-shot methods. */
  readonly exemplars?: readonly Exemplar[];
  /** For methods that learn before they are scored; none of `problems`. */
  readonly calibration?: readonly BenchmarkProblem[];
}

/** A value of one's own in a bench: what tables call it, and where it is, relative to the bench's folder. */
interface OwnValue {
  readonly name: string;
  readonly reference: Reference;
}

/** Values of one's own in a bench, behind what it has by name. */
export interface OwnBenchValues {
  readonly methods: readonly OwnValue[];
  readonly boards: readonly (OwnValue & { readonly questions: number })[];
  /** SHA-256 of the files they are made of: a bench goes on with the same only. */
  readonly sources: Readonly<Record<string, string>>;
}

const reference = z.strictObject({ file: z.string(), export: z.string() });

export const ownBenchSchema: z.ZodType<OwnBenchValues> = z.strictObject({
  methods: z.array(z.strictObject({ name: z.string(), reference })),
  boards: z.array(z.strictObject({ name: z.string(), reference, questions: z.int().min(1) })),
  sources: z.record(z.string(), z.string()),
});

/** No value of one's own. */
export const noneUserDefined: OwnBenchValues = { methods: [], boards: [], sources: {} };

/**
 * What `--methods` and `--benchmarks` name: files of one's own apart from names.
 * @throws LaconicError `config_invalid` naming file and export of what is no method or benchmark
 */
export async function userDefinedBenchValues(
  methods: readonly string[],
  boards: readonly string[],
  directory: string,
): Promise<OwnBenchValues> {
  const own = {
    methods: await Promise.all(
      referencesAmong(methods).map(async (each) => ({ name: (await openMethod(each)).name, reference: each })),
    ),
    boards: await Promise.all(
      referencesAmong(boards).map(async (each) => {
        const { name, problems } = await openBoard(each);
        return { name, reference: each, questions: problems.length };
      }),
    ),
  };
  return { ...inFolder(directory, own), sources: sourceInputs(directory, await sourcesOf(own)) };
}

/** Names alone. */
export function withoutFiles(words: readonly string[]): string[] {
  return words.filter((word) => !isModuleText(word));
}

/**
 * The values again, each as it was.
 * @throws LaconicError `checkpoint_mismatch` naming a file that changed
 */
export async function openOwnMethods(own: OwnBenchValues, directory: string): Promise<Baseline[]> {
  await checkSourceInputs(directory, "bench", own.sources);
  return Promise.all(fromFolder(directory, own).methods.map((each) => openMethod(each.reference)));
}

/** The questions again, as many of them as the bench asks. */
export async function openOwnBoards(
  own: OwnBenchValues,
  directory: string,
  { limit, seed }: { readonly limit: number | null; readonly seed: string },
): Promise<BenchSet[]> {
  const opened = await Promise.all(fromFolder(directory, own).boards.map((each) => openBoard(each.reference)));
  return opened.map(({ name, problems, exemplars = [], calibration = [] }) => ({
    benchmark: name,
    split: "own",
    problems: limit === null ? problems : seededSubset(problems, { limit, seed }),
    exemplars,
    calibration,
  }));
}

function referencesAmong(words: readonly string[]): Reference[] {
  return words
    .filter((word) => isModuleText(word))
    .map((word) => {
      const { file, export: name } = partsOfFileText(word);
      return { file: resolve(file), export: name };
    });
}

async function openMethod(of: Reference): Promise<Baseline> {
  return (await resolveReference(of, "method", {})) as Baseline;
}

const grading = z.looseObject({ kind: z.string() });
const boardProblem = z.looseObject({ id: z.string(), question: z.string(), gold: z.string(), grading });

async function openBoard(of: Reference): Promise<Board> {
  const board = (await resolveReference(of, "board", {})) as Board;
  const refuse = (reason: string): never => {
    throw new LaconicError("config_invalid", `${of.file}: the benchmark ${board.name} ${reason}`, { file: of.file });
  };
  if (benchmarks.some(({ name }) => name === board.name)) refuse("is called like one that is there; name it otherwise");
  if (board.problems.length === 0) refuse("has no problems");
  for (const [i, problem] of [...board.problems, ...(board.calibration ?? [])].entries()) {
    const parsed = boardProblem.safeParse(problem, { error: issueWords });
    const issue = parsed.error?.issues[0];
    if (issue) refuse(`has a problem, number ${i + 1}, that is none: ${issue.path.join(".")}: ${issue.message}`);
  }
  const ids = board.problems.map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) refuse(`has two problems of id ${twice}`);
  return board;
}

/** For notes of a report: `mine of ../mine.ts`. */
export function describeOwn({ methods, boards }: OwnBenchValues): string[] {
  return [...methods, ...boards].map(
    ({ name, reference: { file, export: exported } }) =>
      `${name} is ${referenceTitle({ file, export: exported })} of ${file}.`,
  );
}
