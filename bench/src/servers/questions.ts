import { benchmarkNamed, openSplit, questionText, seededSubset } from "@laconic/benchmarks";
import { answerLine } from "@laconic/grading";
import type { Script } from "@laconic/baselines";
import { exemplarSources, openExemplars } from "@laconic/benchmarks/exemplars";
import type { BenchSet } from "@laconic/evaluation";
import { dealTo } from "@laconic/worlds/text";

/**
 * The first questions of a benchmark in a seeded order, worked examples of its training split where it has one, and further questions of the
 * same split to calibrate on, such as can be dealt where there are any: here nobody is scored.
 */
export async function questionsOf(
  name: string,
  folder: string,
  { limit, calibration }: { readonly limit: number; readonly calibration: number },
): Promise<BenchSet> {
  const benchmark = benchmarkNamed(name);
  const { split, problems } = await openSplit(benchmark, { folder, offline: true });
  const chosen = seededSubset(problems, { seed: "servers" });
  const further = chosen.slice(limit);
  const dealable = further.filter((problem) => dealTo(["one", "other"])(problem) !== null);
  // A training split that is on the hub alone is not here.
  const lender = benchmarkNamed(benchmark.examplesFrom ?? name);
  const pool = Object.entries(lender.splits).find(([, each]) => each.pool && each.files)?.[0];
  const worked = pool === undefined ? [] : (await openSplit(lender, { folder, offline: true, split: pool })).problems;
  const { topic } = benchmark;
  const published = process.env["LACONIC_EXEMPLARS"];
  return {
    benchmark: name,
    split,
    ...(published !== undefined && { scripts: await scriptsOf(published) }),
    problems: chosen.slice(0, limit),
    calibration: [...dealable, ...further].slice(0, calibration),
    exemplars: worked.map((problem) => ({
      question: questionText(problem),
      solution: (problem.solution ?? "").replaceAll(/<<[^<>]*>>/gu, ""),
      answer: problem.gold,
      answerLine: answerLine(problem.grading, problem.gold),
      ...(topic !== undefined && { topic: String(problem.metadata?.[topic]) }),
    })),
    ...(topic !== undefined && { topic }),
  };
}

/** Every published text of the folder. */
async function scriptsOf(folder: string): Promise<Record<string, Script>> {
  const scripts: Record<string, Script> = {};
  for (const { name, examples, ...source } of exemplarSources) {
    const { texts } = await openExemplars({ name, examples, ...source }, { folder, offline: true });
    scripts[name] = { name, examples, texts, sha256: "" };
  }
  return scripts;
}
