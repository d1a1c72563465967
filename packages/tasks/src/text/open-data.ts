import { readFile } from "node:fs/promises";
import {
  benchmarkNamed,
  openSplit,
  seededSubset,
  type BenchmarkProblem,
  type Grading,
  type OpenOptions,
} from "@laconic/benchmarks";
import { LaconicError, type Random } from "@laconic/core";
import { z } from "zod";
import type { TaskMeans } from "../task.ts";

/** Problems to learn on and others to measure with; no problem is both. */
export interface TaskData {
  readonly train: readonly BenchmarkProblem[];
  readonly heldOut: readonly BenchmarkProblem[];
}

/**
 * A benchmark's problems: its training split and its test split, or what a file holds in the training split's place.
 * @param usable - which of them the team can be given; the others are left out, and counted in a note
 * @throws LaconicError `data_invalid` for a benchmark without a training split: a test's own problems are never trained on
 */
export async function benchmarkData(
  name: string,
  { heldOut, data: open, note }: TaskMeans,
  file: string | undefined,
  usable: (problem: BenchmarkProblem) => boolean,
): Promise<TaskData> {
  const benchmark = benchmarkNamed(name);
  const { problems: test } = await openSplit(benchmark, open);
  const among = (problems: readonly BenchmarkProblem[], what: string): BenchmarkProblem[] => {
    const left = problems.filter((problem) => usable(problem));
    const count = (value: number): string => value.toLocaleString("en-US");
    const said = `${count(problems.length - left.length)} of ${count(problems.length)} ${what} problems of ${name} state less than two facts that could be dealt among holders`;
    if (left.length === 0) throw new LaconicError("data_invalid", `${said}: none is left`, { benchmark: name });
    if (left.length < problems.length) note(`left out: ${said}`);
    return left;
  };
  const held = subset(among(test, "test"), heldOut);
  if (file !== undefined) {
    const own = await problemsOf(file, (test[0] as BenchmarkProblem).grading);
    return { train: among(own, "training"), heldOut: held };
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
    train: among(
      train.filter(({ id }) => !tested.has(id)),
      "training",
    ),
    heldOut: held,
  };
}

/** A benchmark that is one split: its first problems are held out, the others are trained on, as MAGRPO has it. */
export async function splitData(name: string, heldOut: number, open: OpenOptions): Promise<TaskData> {
  const { problems } = await openSplit(benchmarkNamed(name), open);
  const held = Math.min(heldOut, Math.floor(problems.length / 2));
  return { train: problems.slice(held), heldOut: problems.slice(0, held) };
}

/** Draws problems, each at most once before all have been drawn. */
export function drawFrom(problems: readonly BenchmarkProblem[]): (random: Random, count: number) => BenchmarkProblem[] {
  return (random, count) =>
    Array.from({ length: Math.ceil(count / problems.length) }, () => random.shuffle(problems))
      .flat()
      .slice(0, count);
}

function subset(problems: readonly BenchmarkProblem[], most: number): BenchmarkProblem[] {
  const limit = Math.min(most, problems.length);
  return limit === 0 ? [] : seededSubset(problems, { limit, seed: "held-out" });
}

const row = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  question: z.string(),
  choices: z.array(z.string()).min(2).max(26).optional(),
  gold: z.string(),
});

/** JSON lines of question, options where there are any, and gold. @throws LaconicError `data_invalid` with file and row */
async function problemsOf(file: string, grading: Grading): Promise<BenchmarkProblem[]> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new LaconicError("data_invalid", `${file} cannot be read: ${(error as Error).message}`, { file }, error);
  });
  return text.split("\n").flatMap((line, i) => {
    if (line.trim() === "") return [];
    const refuse = (reason: string): never => {
      throw new LaconicError("data_invalid", `${file}:${i + 1}: ${reason}`, { file, row: i + 1 });
    };
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return refuse("is not JSON");
    }
    const parsed = row.safeParse(value);
    if (!parsed.success)
      return refuse(parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
    const { id = `${file}:${i + 1}`, question, choices, gold } = parsed.data;
    return [{ id: String(id), question, gold, grading, ...(choices && { choices }) }];
  });
}
