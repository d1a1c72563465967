import { formatCount } from "@laconic/core/text";
import { benchmarkNamed, openData, openProblems, openSplit, seededSubset, trainingSplits } from "@laconic/benchmarks";
import type { BenchmarkProblem, DataGrading, DataSettings, OpenOptions } from "@laconic/benchmarks";
import type { AnswerKind, Grading } from "@laconic/grading";
import { questionKey, refuseSetting, dataError, present } from "@laconic/core";
import type { TaskResources } from "../task-resources.ts";

/** Disjoint problems for training and evaluation. */
export interface TaskData {
  readonly train: readonly BenchmarkProblem[];
  /** Absent if too few, or for custom data. */
  readonly validation?: readonly BenchmarkProblem[];
  readonly testProblems: readonly BenchmarkProblem[];
}

export interface TrainingChoice {
  readonly file?: string;
  readonly split?: string;
}

/**
 * A benchmark's training and test splits; notes problems that fail `isUsable`.
 * @throws LaconicError `data_invalid` without a training split; `config_invalid` for an unknown one
 */
export async function benchmarkData(
  name: string,
  { testProblems, data: open, note }: TaskResources,
  { file, split }: TrainingChoice,
  isUsable: (problem: BenchmarkProblem) => boolean,
): Promise<TaskData> {
  const benchmark = benchmarkNamed(name);
  if (file !== undefined && split !== undefined)
    refuseSetting("task.split", "has no effect with task.file; remove one");
  const splits = file === undefined ? trainingSplits(benchmark, split) : null;
  const usable = (problems: readonly BenchmarkProblem[], kind: string): BenchmarkProblem[] =>
    usableOf(problems, `${kind} problems of ${name}`, isUsable, note);
  const { problems: test } = await openSplit(benchmark, { ...open, ...(splits && { split: splits.test }) });
  const held = subset(usable(test, "test"), testProblems);
  if (file !== undefined) {
    const grading = gradingOf(test[0]!.grading, benchmark.answer);
    const { problems } = await openProblems(file, { grading, name: "file", ...present({ hub: open.hub }) });
    return { ...withValidation(usable(problems, "training")), testProblems: held };
  }
  const { problems } = await openSplit(benchmark, { ...open, ...(splits && { split: splits.train }) });
  const tested = new Set(test.map(({ id }) => id));
  const train = problems.filter(({ id }) => !tested.has(id));
  return { ...withValidation(usable(train, "training")), testProblems: held };
}

function gradingOf(grading: Grading, { kind }: AnswerKind): DataGrading {
  if (grading.kind === "maths") return { kind: "maths", ...present({ tolerance: grading.tolerance }) };
  if (grading.kind === "letter") return { kind: "letter", letters: grading.letters };
  if (grading.kind === "numeric" || grading.kind === "code") return { kind: grading.kind };
  refuseSetting("task.file", `no gold for ${kind}`);
}

/** @throws LaconicError `data_invalid`, `config_invalid` */
export async function ownData(
  settings: DataSettings,
  { testProblems, data: { hub, signal }, note }: Pick<TaskResources, "testProblems" | "data" | "note">,
  isUsable: (problem: BenchmarkProblem) => boolean,
): Promise<TaskData> {
  const data = await openData(settings, { ...present({ hub, signal }) });
  const [first] = data.refused;
  if (first)
    note(
      `skipped: ${formatCount(data.refused.length)} rows of the data; the first is ${first.file} row ${first.row}: ${first.reason}`,
    );
  return {
    train: usableOf(data.train, "training problems", isUsable, note),
    testProblems: subset(usableOf(data.testProblems, "test problems", isUsable, note), testProblems),
  };
}

function usableOf(
  problems: readonly BenchmarkProblem[],
  kind: string,
  isUsable: (problem: BenchmarkProblem) => boolean,
  note: TaskResources["note"],
): BenchmarkProblem[] {
  const usable = problems.filter(isUsable);
  const text = `${formatCount(problems.length - usable.length)} of ${formatCount(problems.length)} ${kind} state fewer than two facts to deal among holders`;
  if (usable.length === 0) throw dataError(`${text}: no problem left`);
  if (usable.length < problems.length) note(`skipped: ${text}`);
  return usable;
}

/** First problems are test, the rest training, as in MAGRPO. */
export async function splitData(name: string, testProblems: number, open: OpenOptions): Promise<TaskData> {
  if (testProblems === 0) return { train: [], testProblems: [] };
  const { problems } = await openSplit(benchmarkNamed(name), open);
  const held = Math.min(testProblems, Math.floor(problems.length / 2));
  return { ...withValidation(problems.slice(held)), testProblems: problems.slice(0, held) };
}

function withValidation(problems: readonly BenchmarkProblem[]): Pick<TaskData, "train" | "validation"> {
  const limit = Math.min(200, Math.floor(problems.length / 10));
  if (limit === 0) return { train: problems };
  const validation = seededSubset(problems, { limit, seed: "validation" });
  const held = new Set(validation.map(questionKey));
  return { train: problems.filter((problem) => !held.has(questionKey(problem))), validation };
}

function subset(problems: readonly BenchmarkProblem[], most: number): BenchmarkProblem[] {
  const limit = Math.min(most, problems.length);
  return limit === 0 ? [] : seededSubset(problems, { limit, seed: "held-out" });
}
