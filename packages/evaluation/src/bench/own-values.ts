import { basename } from "node:path";
import type { Exemplar } from "@laconic/baselines";
import { benchmarks, seededSubset, type BenchmarkProblem } from "@laconic/benchmarks";
import { LaconicError } from "@laconic/core";
import { issueWords } from "@laconic/core/schemas";
import { z } from "zod";
import type { BenchSet } from "../bench-job.ts";

/** A user's own questions as a value: what `bench --benchmarks ./board.ts` takes, or a function that gives it. */
export interface Board {
  readonly name: string;
  /** With how each is graded. */
  readonly problems: readonly BenchmarkProblem[];
  /** For few-shot methods. */
  readonly exemplars?: readonly Exemplar[];
  /** For methods that learn before they are scored; none of `problems`. */
  readonly calibration?: readonly BenchmarkProblem[];
}

/** A user's own value in a bench: what tables call it, and where it is, relative to the bench's folder. */
interface OwnValue {
  readonly name: string;
  /** A module, and `default` or the name of an export. */
  readonly reference: { readonly file: string; readonly export: string };
}

/** A user's own values in a bench, behind what it has by name. */
export interface OwnBenchValues {
  readonly methods: readonly OwnValue[];
  readonly boards: readonly (OwnValue & { readonly questions: number })[];
  /** SHA-256 of the files they are made of: a bench goes on with the same only. */
  readonly sources: Readonly<Record<string, string>>;
}

const reference = z.strictObject({ file: z.string(), export: z.string() });

/** A bench's own values as its directory keeps them. */
export const ownBenchSchema: z.ZodType<OwnBenchValues> = z.strictObject({
  methods: z.array(z.strictObject({ name: z.string(), reference })),
  boards: z.array(z.strictObject({ name: z.string(), reference, questions: z.int().min(1) })),
  sources: z.record(z.string(), z.string()),
});

/** No value of the user's own. */
export const noneUserDefined: OwnBenchValues = { methods: [], boards: [], sources: {} };

const grading = z.looseObject({ kind: z.string() });
const boardProblem = z.looseObject({ id: z.string(), question: z.string(), gold: z.string(), grading });

/** @throws LaconicError `config_invalid` naming the file of a board that cannot be asked */
export function checkBoard(board: Board, file: string): Board {
  const refuse = (reason: string): never => {
    throw new LaconicError("config_invalid", `${file}: the benchmark ${board.name} ${reason}`, { file });
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

/** As many of a board's questions as the bench asks. */
export function setOfBoard(
  { name, problems, exemplars = [], calibration = [] }: Board,
  { limit, seed }: { readonly limit: number | null; readonly seed: string },
): BenchSet {
  return {
    benchmark: name,
    split: "own",
    problems: limit === null ? problems : seededSubset(problems, { limit, seed }),
    exemplars,
    calibration,
  };
}

/** For notes of a report: `mine of ../mine.ts`. */
export function describeOwn({ methods, boards }: OwnBenchValues): string[] {
  return [...methods, ...boards].map(({ name, reference: { file, export: exported } }) => {
    const title = exported === "default" ? basename(file).replace(/\.[cm]?[jt]sx?$/u, "") : exported;
    return `${name} is ${title} of ${file}.`;
  });
}
