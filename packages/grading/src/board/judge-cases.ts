import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { gradeCase, type CaseVerdict } from "../grade-case.ts";
import { readGradedCases, type CaseRefusal, type CaseRow, type GradedCase } from "../graded-case.ts";
import { mathsGrader } from "../maths/maths-grader.ts";
import type { BoardTime } from "./board-report.ts";
import type { Judged } from "./tally.ts";

/** Splits rows into labelled cases and refusals. */
export function gradedCases(rows: Iterable<CaseRow>): { cases: GradedCase[]; refused: CaseRefusal[] } {
  const cases: GradedCase[] = [];
  const refused: CaseRefusal[] = [];
  for (const row of readGradedCases(rows)) {
    if ("reason" in row) refused.push(row);
    else cases.push(row);
  }
  return { cases, refused };
}

/**
 * Judges cases together, and measures it from the start of the grader's threads, two where there are two cores.
 * @param onVerdict - called in the order of the cases
 */
export async function judgeCases(
  cases: readonly GradedCase[],
  onVerdict: (item: GradedCase, verdict: CaseVerdict) => void = () => undefined,
): Promise<{ judged: Judged[]; time: BoardTime }> {
  const threads = Math.min(2, availableParallelism());
  const maths = mathsGrader({ threads });
  try {
    await Promise.all(Array.from({ length: threads }, () => maths.grade("1", "1")));
    const start = performance.now();
    const before = process.cpuUsage();
    const verdicts = cases.map((item) => gradeCase(item, maths));
    // One that fails is thrown when its turn comes.
    for (const verdict of verdicts) verdict.catch(() => undefined);
    const judged: Judged[] = [];
    for (const [i, item] of cases.entries()) {
      const verdict = await (verdicts[i] as Promise<CaseVerdict>);
      judged.push({ item, verdict });
      onVerdict(item, verdict);
    }
    const { user, system } = process.cpuUsage(before);
    const time = { seconds: (performance.now() - start) / 1000, processorSeconds: (user + system) / 1e6 };
    return { judged, time };
  } finally {
    await maths.close();
  }
}
