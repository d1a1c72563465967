import type { AgentId, Episode, Problem, Reward, Utterance } from "@laconic/core";
import { graded } from "@laconic/rewards";
import type { TrainingTask } from "@laconic/topologies";

export type TaskGrading = Pick<TrainingTask, "grader" | "reward">;

/** 0 to 1, or why the machine failed. */
export type Grade = number | { readonly undecided: string };

/** Custom grader: 0 to 1 or a boolean; `signal` aborts an unneeded grade. */
export type OwnGrader<P extends Problem> = (
  answer: string | null,
  problem: P,
  signal?: AbortSignal,
) => Grade | boolean | Promise<Grade | boolean>;

/** Grading by a custom grader. */
export function gradingOf<P extends Problem>(grader: OwnGrader<P>): { readonly reward: Reward } {
  return {
    reward: async ({ answer }, problem, { signal }) => {
      const grade = await grader(answer, problem as P, signal);
      return typeof grade === "object" ? grade : { task: Number(grade) };
    },
  };
}

/** Returns the task with another grader. */
export function gradedBy<T extends TaskGrading, P extends Problem>(task: T, grader: OwnGrader<P>): T {
  return { ...task, ...gradingOf(grader) };
}

/** Answer of a team, by agent if several answer. */
export type TeamAnswer = string | Readonly<Record<AgentId, string>> | null;

function endedWith(input: TeamAnswer, problem: Problem): Episode {
  const outputs = typeof input === "object" && input !== null ? input : undefined;
  const answer = outputs ? Object.values(outputs).join("\n\n") : (input as string | null);
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

/** Grades an answer like an episode: the term `task`. */
export function gradeOf(grading: TaskGrading, answer: TeamAnswer, problem: Problem): Promise<Grade> {
  return gradeOfEpisode(grading, endedWith(answer, problem), problem);
}

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

/** Share of silent turns; NaN without turns. */
export function silentShare(turns: readonly Pick<Utterance, "silent">[]): number {
  return turns.length === 0 ? Number.NaN : turns.filter(({ silent }) => silent).length / turns.length;
}
