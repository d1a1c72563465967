import { benchmarks, findFiles, gradeProblem, loadSplit, type BenchmarkProblem } from "@laconic/benchmarks";
import { mathsGrader } from "@laconic/grading";
import { afterAll, describe, expect, test } from "vitest";

const data = process.env["LACONIC_DATA"];

/** Of those that have a gold, and pinned files. */
const exact = benchmarks.filter(
  ({ answer, splits, defaultSplit }) =>
    !["code", "writing"].includes(answer.kind) && (splits[defaultSplit]?.files ?? []).length > 0,
);

function rightReply({ gold, grading }: BenchmarkProblem): string {
  return grading.kind === "letter" ? `The answer is (${gold}).` : `It follows that \\boxed{${gold}}.`;
}

describe.skipIf(data === undefined)(
  "every gold equals itself and differs from the next problem's gold (LACONIC_DATA)",
  () => {
    const maths = mathsGrader();
    afterAll(() => maths.close());
    test.for(exact)("$name", async (benchmark, { skip }) => {
      const match = await findFiles(benchmark, benchmark.defaultSplit, data as string).catch(() => null);
      // Its users put it there, where they want it.
      if (!match && benchmark.splits[benchmark.defaultSplit]?.placed) skip(`${data} does not hold ${benchmark.name}`);
      const files = match ?? [];
      const { problems } = await loadSplit(benchmark, benchmark.defaultSplit, files);
      expect(problems).toHaveLength(benchmark.splits[benchmark.defaultSplit]?.rows ?? 0);
      const verdicts = await Promise.all(
        problems.map((problem) => gradeProblem(rightReply(problem), problem, { maths })),
      );
      expect(problems.filter((_, i) => verdicts[i]?.correct !== true).map(({ id }) => id)).toEqual([]);
      // A neighbour's answer is right only where both golds say the same.
      const others = problems.map((problem, i) => problems[(i + 1) % problems.length] ?? problem);
      const shifted = await Promise.all(
        problems.map((problem, i) => gradeProblem(rightReply(others[i] as BenchmarkProblem), problem, { maths })),
      );
      const accepted = problems.filter((_, i) => shifted[i]?.correct === true).length;
      const same = problems.filter(
        ({ gold }, i) => Number(gold) === Number(others[i]?.gold) || gold === others[i]?.gold,
      ).length;
      expect(accepted).toBeLessThanOrEqual(same + 0.02 * problems.length);
    });
  },
);
