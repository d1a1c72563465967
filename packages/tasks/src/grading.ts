import type { Episode, Problem, Reward } from "@laconic/core";
import { graded } from "@laconic/rewards";
import type { TrainingTask } from "@laconic/trainer";

/** How a task judges an episode: by a reward, or by a grader of its answer. */
export type TaskGrading = Pick<TrainingTask, "grader" | "reward">;

/** What a grader says: 0 to 1, or why the machine kept it from a verdict. */
export type Grade = number | { readonly undecided: string };

/** A grader of one's own: 0 to 1, at once or later. `signal` is aborted once nobody waits for it any more. */
export type OwnGrader<P extends Problem> = (
  answer: string | null,
  problem: P,
  signal?: AbortSignal,
) => Grade | Promise<Grade>;

/** The grading of a grader that may take its time. */
export function gradingOf<P extends Problem>(grader: OwnGrader<P>): { readonly reward: Reward } {
  return {
    reward: async ({ answer }, problem, { signal }) => {
      const grade = await grader(answer, problem as P, signal);
      return typeof grade === "object" ? grade : { task: grade };
    },
  };
}

/** The same task with another grader. */
export function gradedBy<T extends TaskGrading, P extends Problem>(task: T, grader: OwnGrader<P>): T {
  return { ...task, ...gradingOf(grader) };
}

/** Judges an answer as a trainer would judge an episode that ended with it: the term `task`. */
export async function gradeOf(
  { grader, reward }: TaskGrading,
  answer: string | null,
  problem: Problem,
): Promise<Grade> {
  const judge = reward ?? (grader && graded(grader));
  if (!judge) return Number.NaN;
  const episode: Episode = {
    problemId: problem.id,
    topology: "graded",
    utterances: [],
    answer,
    stopReason: answer === null ? "no_answer" : "answered",
    ledger: { calls: [] },
  };
  const result = await judge(episode, problem, { signal: new AbortController().signal });
  if ("undecided" in result) return { undecided: String(result["undecided"]) };
  const terms = typeof result["team"] === "object" ? result["team"] : result;
  return (terms as Readonly<Record<string, number>>)["task"] ?? Number.NaN;
}
