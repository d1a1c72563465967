import { formatCount } from "@laconic/core/text";
import {
  benchmarkNamed,
  openData,
  openProblems,
  openSplit,
  seededSubset,
  type BenchmarkProblem,
  type DataGrading,
  type DataSettings,
  type OpenOptions,
} from "@laconic/benchmarks";
import type { AnswerKind, Grading } from "@laconic/grading";
import { LaconicError, questionKey } from "@laconic/core";
import type { TaskResources } from "../task-resources.ts";

/** Problems to learn on and others to measure with; no problem is both. */
export interface TaskData {
  readonly train: readonly BenchmarkProblem[];
  /** Of the training split, and trained on no more; absent where it is too small, or the data are the user's own. */
  readonly validation?: readonly BenchmarkProblem[];
  readonly testProblems: readonly BenchmarkProblem[];
}

/**
 * A benchmark's problems: its training split and its test split, or what a file holds in the training split's place.
 * @param usable - which of them the team can be given; the others are left out, and counted in a note
 * @throws LaconicError `data_invalid` for a benchmark without a training split: a test's own problems are never trained on
 */
export async function benchmarkData(
  name: string,
  { testProblems, data: open, note }: TaskResources,
  file: string | undefined,
  usable: (problem: BenchmarkProblem) => boolean,
): Promise<TaskData> {
  const benchmark = benchmarkNamed(name);
  const { problems: test } = await openSplit(benchmark, open);
  const among = (problems: readonly BenchmarkProblem[], what: string): BenchmarkProblem[] =>
    usableOf(problems, `${what} problems of ${name}`, usable, note);
  const held = subset(among(test, "test"), testProblems);
  if (file !== undefined) {
    const grading = gradingOf((test[0] as BenchmarkProblem).grading, benchmark.answer);
    const own = await openProblems(file, { grading, name: "file", ...(open.hub && { hub: open.hub }) });
    return { ...withValidation(among(own.problems, "training")), testProblems: held };
  }
  const pool = Object.entries(benchmark.splits).find(([, split]) => split.pool)?.[0];
  if (pool === undefined)
    throw new LaconicError(
      "data_invalid",
      `${name} has no training split, and its test is not trained on: name a file of problems as task.file`,
      { benchmark: name },
    );
  const { problems: train } = await openSplit(benchmark, { ...open, split: pool });
  const tested = new Set(test.map(({ id }) => id));
  return {
    ...withValidation(
      among(
        train.filter(({ id }) => !tested.has(id)),
        "training",
      ),
    ),
    testProblems: held,
  };
}

/** What the rows of a file have as golds, where a benchmark's own are like these. */
function gradingOf(grading: Grading, { kind }: AnswerKind): DataGrading {
  if (grading.kind === "maths")
    return { kind: "maths", ...(grading.tolerance !== undefined && { tolerance: grading.tolerance }) };
  if (grading.kind === "letter") return { kind: "letter", letters: grading.letters };
  if (grading.kind === "numeric" || grading.kind === "code") return { kind: grading.kind };
  throw new LaconicError("config_invalid", `task.file: there is no gold for ${kind}`, { key: "task.file" });
}

/**
 * One's own training and test problems: nothing of a benchmark is opened.
 * @throws LaconicError `data_invalid` with file and row, `config_invalid` naming the setting
 */
export async function ownData(
  settings: DataSettings,
  { testProblems, data: { hub, signal }, note }: Pick<TaskResources, "testProblems" | "data" | "note">,
  usable: (problem: BenchmarkProblem) => boolean,
): Promise<TaskData> {
  const data = await openData(settings, { ...(hub && { hub }), ...(signal && { signal }) });
  const [first] = data.refused;
  if (first)
    note(
      `left out: ${formatCount(data.refused.length)} rows of the data; the first is ${first.file} row ${first.row}: ${first.reason}`,
    );
  return {
    train: usableOf(data.train, "training problems", usable, note),
    testProblems: subset(usableOf(data.testProblems, "test problems", usable, note), testProblems),
  };
}

/** Those that the team can be given; the others are counted in a note. */
function usableOf(
  problems: readonly BenchmarkProblem[],
  what: string,
  usable: (problem: BenchmarkProblem) => boolean,
  note: TaskResources["note"],
): BenchmarkProblem[] {
  const left = problems.filter((problem) => usable(problem));
  const said = `${formatCount(problems.length - left.length)} of ${formatCount(problems.length)} ${what} state less than two facts that could be dealt among holders`;
  if (left.length === 0) throw new LaconicError("data_invalid", `${said}: none is left`);
  if (left.length < problems.length) note(`left out: ${said}`);
  return left;
}

/** A benchmark that is one split: its first problems are kept for validation and test, the others are trained on, as MAGRPO has it. */
export async function splitData(name: string, testProblems: number, open: OpenOptions): Promise<TaskData> {
  const { problems } = await openSplit(benchmarkNamed(name), open);
  const held = Math.min(testProblems, Math.floor(problems.length / 2));
  return { ...withValidation(problems.slice(held)), testProblems: problems.slice(0, held) };
}

/** Most validation problems of a benchmark: a tenth of what there is to train on. */
const maxValidation = 200;

/** A tenth of the training problems is evaluated on while a run goes on, and trained on no more. */
function withValidation(problems: readonly BenchmarkProblem[]): Pick<TaskData, "train" | "validation"> {
  const limit = Math.min(maxValidation, Math.floor(problems.length / 10));
  if (limit === 0) return { train: problems };
  const validation = seededSubset(problems, { limit, seed: "validation" });
  const held = new Set(validation.map((problem) => questionKey(problem)));
  return { train: problems.filter((problem) => !held.has(questionKey(problem))), validation };
}

function subset(problems: readonly BenchmarkProblem[], most: number): BenchmarkProblem[] {
  const limit = Math.min(most, problems.length);
  return limit === 0 ? [] : seededSubset(problems, { limit, seed: "held-out" });
}
