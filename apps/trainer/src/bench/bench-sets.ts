import { baselineNamed, type Exemplar } from "@laconic/baselines";
import {
  benchmarkNamed,
  openSplit,
  seededSubset,
  type Benchmark,
  type BenchmarkProblem,
  type OpenOptions,
} from "@laconic/benchmarks";
import { questionText, type BenchSet } from "@laconic/evaluation";
import type { BenchConfig } from "./bench-settings.ts";

/** Loads the questions of every benchmark, and worked examples where a training split is at hand. */
export async function benchSets(
  { benchmarks, methods, limit, seed, shots }: BenchConfig,
  open: (benchmark: string) => OpenOptions,
  note: (text: string) => void,
): Promise<BenchSet[]> {
  const sets: BenchSet[] = [];
  const learns = methods.some((method) => baselineNamed(method).calibrate !== undefined);
  for (const name of benchmarks) {
    const benchmark = benchmarkNamed(name);
    const loaded = await openSplit(benchmark, open(name));
    for (const warning of loaded.warnings) note(`${name}: ${warning}`);
    const problems = limit === null ? loaded.problems : seededSubset(loaded.problems, { limit, seed });
    const exemplars =
      shots === 0 ? [] : await exemplarsOf(benchmark, { ...open(name), offline: true }, shots, seed, note);
    const calibration = learns ? await calibrationOf(benchmark, { ...open(name), offline: true }, seed) : [];
    sets.push({ benchmark: name, split: loaded.split, problems, exemplars, calibration });
  }
  return sets;
}

/** Examples of the pool split, chosen by seed; none where it is not here. */
async function exemplarsOf(
  benchmark: Benchmark,
  open: OpenOptions,
  shots: number,
  seed: string,
  note: (text: string) => void,
): Promise<Exemplar[]> {
  const pool = Object.entries(benchmark.splits).find(([, split]) => split.pool)?.[0];
  if (pool === undefined) {
    note(`${benchmark.name} has no training split: its methods run without examples`);
    return [];
  }
  try {
    const { problems } = await openSplit(benchmark, { ...open, split: pool });
    // Twice as many as are shown, so that a method may choose.
    const chosen = seededSubset(
      problems.filter(({ solution }) => solution !== undefined),
      { limit: Math.min(problems.length, 8 * shots), seed },
    );
    return chosen
      .slice(0, shots)
      .map((problem) => ({ question: questionText(problem), solution: solutionOf(problem) }));
  } catch {
    note(
      `${benchmark.name} ${pool} is not here: its methods run without examples (laconic data get ${benchmark.name} --split ${pool})`,
    );
    return [];
  }
}

/** Questions that AgentPrune learns on: Q' of its paper, from the training split. None where it is not here. */
const calibrationQuestions = 10;

async function calibrationOf(benchmark: Benchmark, open: OpenOptions, seed: string): Promise<BenchmarkProblem[]> {
  const pool = Object.entries(benchmark.splits).find(([, split]) => split.pool)?.[0];
  if (pool === undefined) return [];
  try {
    const { problems } = await openSplit(benchmark, { ...open, split: pool });
    return seededSubset(problems, { limit: calibrationQuestions, seed: `calibration/${seed}` });
  } catch {
    return []; // the bench says which questions are missing when it comes to the method
  }
}

/** A worked solution without the calculator's marks of GSM8K. */
function solutionOf({ solution = "" }: BenchmarkProblem): string {
  return solution.replaceAll(/<<[^<>]*>>/gu, "");
}
