import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { questionText, type BenchmarkProblem } from "@laconic/benchmarks";
import { benchFiles, type StoredQuestion } from "@laconic/core/run-folder";
import type { BenchJob } from "../bench-job.ts";

/** UTF-16 units of a program's tests. */
const maxTests = 20_000;

/** Writes what a bench asks, each question once, for who reads its samples; where it stands already nothing is written. */
export async function writeQuestions(
  directory: string,
  jobs: readonly Pick<BenchJob, "set" | "problem">[],
): Promise<void> {
  const lines = new Map<string, string>();
  for (const { set, problem } of jobs) {
    const key = JSON.stringify([set.benchmark, problem.id]);
    if (!lines.has(key)) lines.set(key, `${JSON.stringify(stored(set.benchmark, problem))}\n`);
  }
  const text = [...lines.values()].join("");
  const path = join(directory, benchFiles.questions);
  if ((await readFile(path, "utf8").catch(() => null)) !== text) await writeFile(path, text);
}

function stored(benchmark: string, problem: BenchmarkProblem): StoredQuestion {
  const { id, gold, grading } = problem;
  return {
    benchmark,
    id,
    question: questionText(problem),
    gold,
    grading: grading.kind,
    tests: grading.kind === "code" ? grading.test.slice(0, maxTests) : null,
  };
}
