import { LaconicError, type Grader, type Problem } from "@laconic/core";
import { readScore, withDeadline, type SampleScore, type Timer } from "@laconic/rewards";
import { agentGspoDefaults, type ScoringSettings } from "./config.ts";
import type { TrainingTask } from "./parts.ts";

/** Verdicts that are kept at most; the oldest go first. */
const mostKept = 100_000;

/** A task whose answers are judged first and graded then. */
export interface JudgedTask extends TrainingTask {
  /** Judges an answer, once, and says what became of it: never rejects, and is not late. */
  scoreOf(answer: string | null, problem: Problem): Promise<SampleScore>;
  /** The same as a number; NaN without a score. */
  judge(answer: string | null, problem: Problem): Promise<number>;
}

const timer: Timer = {
  now: () => performance.now(),
  after: (milliseconds, call) => {
    const id = setTimeout(call, milliseconds);
    return () => clearTimeout(id);
  },
};

/**
 * A task whose judge, or grader, may take its time, fail or hang, as one whose grader never does: `scoreOf` asks the judge
 * each question once, `grader` answers from what was judged, with NaN for what has no score. A question without a score is
 * asked again when it comes again.
 */
export function withVerdicts(
  task: TrainingTask,
  { seconds }: Pick<ScoringSettings, "seconds"> = agentGspoDefaults.scoring,
): JudgedTask {
  if (isJudged(task)) return task;
  const ask = withDeadline({ seconds, timer });
  const score = async (question: (signal: AbortSignal) => unknown): Promise<SampleScore> => {
    const answered = await ask(question);
    return answered.status === "answered" ? readScore(answered.value) : answered;
  };
  const graded: Grading = task.judge ? judgedOnce(task.judge, score) : gradedAtOnce(task.grader);
  return {
    ...task,
    ...graded,
    judge: async (answer, problem) => valueOf(await graded.scoreOf(answer, problem)),
  };
}

type Grading = Pick<JudgedTask, "scoreOf" | "grader">;
type Score = (question: (signal: AbortSignal) => unknown) => Promise<SampleScore>;

function gradedAtOnce(grader: Grader): Grading {
  const scoreNow = (answer: string | null, problem: Problem): SampleScore => {
    try {
      return readScore(grader(answer, problem));
    } catch (error) {
      return { status: "error", reason: error instanceof Error ? error.message : String(error) };
    }
  };
  return {
    scoreOf: async (answer, problem) => scoreNow(answer, problem),
    grader: (answer, problem) => valueOf(scoreNow(answer, problem)),
  };
}

function judgedOnce(judge: NonNullable<TrainingTask["judge"]>, score: Score): Grading {
  const known = new Map<string, SampleScore>();
  const asked = new Map<string, Promise<SampleScore>>();
  const keyOf = (answer: string | null, problem: Problem): string =>
    JSON.stringify([problem.id, problem.question, problem.gold, answer]);
  return {
    async scoreOf(answer, problem) {
      const key = keyOf(answer, problem);
      const before = known.get(key);
      if (before?.status === "scored") return before;
      const now = asked.get(key) ?? score((signal) => judge(answer, problem, signal));
      asked.set(key, now);
      const verdict = await now;
      asked.delete(key);
      known.set(key, verdict);
      if (known.size > mostKept) known.delete(known.keys().next().value as string);
      return verdict;
    },
    grader(answer, problem) {
      const verdict = known.get(keyOf(answer, problem));
      if (verdict) return valueOf(verdict);
      throw new LaconicError("engine_failed", `problem "${problem.id}" is graded before it was judged`, {
        problemId: problem.id,
      });
    },
  };
}

function isJudged(task: TrainingTask): task is JudgedTask {
  return "scoreOf" in task;
}

function valueOf(score: SampleScore): number {
  return score.status === "scored" ? score.value : Number.NaN;
}
