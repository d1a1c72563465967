import { LaconicError, type Problem } from "@laconic/core";
import type { TrainingTask } from "./parts.ts";

/** Verdicts that are kept at most; the oldest go first. */
const mostKept = 100_000;

/**
 * A task whose verdicts take their time, as one whose grader looks them up: `judge` asks each question once, `grader` answers
 * from what was judged. A task without a judge comes back as it is.
 */
export function withVerdicts(task: TrainingTask): TrainingTask {
  const { judge } = task;
  if (!judge) return task;
  const known = new Map<string, number | Promise<number>>();
  const keyOf = (answer: string | null, problem: Problem): string =>
    JSON.stringify([problem.id, problem.question, problem.gold, answer]);
  return {
    ...task,
    async judge(answer, problem) {
      const key = keyOf(answer, problem);
      const before = known.get(key);
      if (before !== undefined) return before;
      const asked = judge(answer, problem);
      known.set(key, asked);
      const verdict = await asked;
      known.set(key, verdict);
      if (known.size > mostKept) known.delete(known.keys().next().value as string);
      return verdict;
    },
    grader(answer, problem) {
      const verdict = known.get(keyOf(answer, problem));
      if (typeof verdict === "number") return verdict;
      throw new LaconicError("engine_failed", `problem "${problem.id}" is graded before it was judged`, {
        problemId: problem.id,
      });
    },
  };
}
