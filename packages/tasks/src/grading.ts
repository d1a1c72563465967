import type { Problem } from "@laconic/core";
import type { TrainingTask } from "@laconic/trainer";

/** How a task judges an answer: at once, or with a thread, a sandbox or a model. The only place that tells them apart. */
export type TaskGrading = Pick<TrainingTask, "grader" | "judge">;

/** What a grader says: 0 to 1, or why the machine kept it from a verdict. */
export type Grade = Awaited<ReturnType<Exclude<TrainingTask["judge"], undefined>>>;

/** A grader of one's own: 0 to 1, at once or later. `signal` is aborted once nobody waits for it any more. */
export type OwnGrader<P extends Problem> = (
  answer: string | null,
  problem: P,
  signal?: AbortSignal,
) => number | Promise<Grade>;

/** The grading of a grader that may take its time. */
export function gradingOf<P extends Problem>(grader: OwnGrader<P>): TaskGrading {
  return {
    grader: () => Number.NaN,
    judge: async (answer, problem, signal) => grader(answer, problem as P, signal),
  };
}

/** The same task with another grader. */
export function gradedBy<T extends TaskGrading, P extends Problem>(task: T, grader: OwnGrader<P>): T {
  return { ...task, ...gradingOf(grader) };
}

/** Judges an answer as a trainer would. */
export async function gradeOf({ grader, judge }: TaskGrading, answer: string | null, problem: Problem): Promise<Grade> {
  return judge ? judge(answer, problem) : grader(answer, problem);
}
