import { gradeCase, mathsGrader, type CaseVerdict, type GradedCase } from "@laconic/benchmarks";

/**
 * Judges cases together, and gives the verdicts in the order of the cases.
 * @param onReady - called when the grader's thread has started
 */
export async function* judgeCases(
  cases: readonly GradedCase[],
  onReady: () => void,
): AsyncGenerator<readonly [GradedCase, CaseVerdict]> {
  const maths = mathsGrader();
  try {
    await maths.grade("1", "1");
    onReady();
    const verdicts = cases.map((item) => gradeCase(item, maths));
    // One that fails is told when its turn comes.
    for (const verdict of verdicts) verdict.catch(() => undefined);
    for (const [i, item] of cases.entries()) yield [item, await (verdicts[i] as Promise<CaseVerdict>)];
  } finally {
    await maths.close();
  }
}
