import type { AgentId, Episode, Problem, Reward } from "@laconic/core";
import { graded } from "@laconic/rewards";
import type { TrainingTask } from "@laconic/topologies";

/** How a task judges an episode: by a reward, or by a grader of its answer. */
export type TaskGrading = Pick<TrainingTask, "grader" | "reward">;

/** What a grader says: 0 to 1, or why the machine kept it from a verdict. */
export type Grade = number | { readonly undecided: string };

/** A grader of one's own: 0 to 1, or whether the answer is right, at once or later. `signal` is aborted once nobody waits for it any more. */
export type OwnGrader<P extends Problem> = (
  answer: string | null,
  problem: P,
  signal?: AbortSignal,
) => Grade | boolean | Promise<Grade | boolean>;

/** The grading of a grader that may take its time. */
export function gradingOf<P extends Problem>(grader: OwnGrader<P>): { readonly reward: Reward } {
  return {
    reward: async ({ answer }, problem, { signal }) => {
      const grade = await grader(answer, problem as P, signal);
      return typeof grade === "object" ? grade : { task: Number(grade) };
    },
  };
}

/** The same task with another grader. */
export function gradedBy<T extends TaskGrading, P extends Problem>(task: T, grader: OwnGrader<P>): T {
  return { ...task, ...gradingOf(grader) };
}

/** A team's answer, or where several agents answer what each of them does. */
export type TeamAnswer = string | Readonly<Record<AgentId, string>> | null;

function endedWith(given: TeamAnswer, problem: Problem): Episode {
  const outputs = typeof given === "object" && given !== null ? given : undefined;
  const answer = outputs ? Object.values(outputs).join("\n\n") : (given as string | null);
  return {
    problemId: problem.id,
    topology: "graded",
    utterances: [],
    answer,
    ...(outputs && { outputs }),
    stopReason: answer === null ? "no_answer" : "answered",
    ledger: { calls: [] },
  };
}

/** Judges an answer as a trainer would judge an episode that ended with it: the term `task`. */
export function gradeOf(grading: TaskGrading, answer: TeamAnswer, problem: Problem): Promise<Grade> {
  return gradeOfEpisode(grading, endedWith(answer, problem), problem);
}

/** Judges an episode as a trainer would: the term `task`. */
export async function gradeOfEpisode(
  { grader, reward }: TaskGrading,
  episode: Episode,
  problem: Problem,
): Promise<Grade> {
  const judge = reward ?? (grader && graded(grader));
  if (!judge) return Number.NaN;
  const result = await judge(episode, problem, { signal: new AbortController().signal });
  if (typeof result !== "object") return Number(result);
  if ("undecided" in result) return { undecided: String(result["undecided"]) };
  const terms = typeof result["team"] === "object" ? result["team"] : result;
  return Number((terms as Readonly<Record<string, number | boolean>>)["task"] ?? Number.NaN);
}
