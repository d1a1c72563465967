import { gradeProblem, type BenchmarkProblem } from "@laconic/benchmarks";
import type { Graders, Verdict } from "@laconic/grading";
import { LaconicError, type LaconicErrorCode } from "@laconic/core";
import { gradingStepLimits, type GradingStep } from "@laconic/core/run-folder";
import type { Ask } from "@laconic/rewards";
import type { SampleRecord } from "./sample-record.ts";

/** The part of a record that grading writes. */
export type Graded = Pick<SampleRecord, "status" | "correct" | "score" | "extracted" | "rule" | "steps" | "error">;

/** What became of an answer: a verdict, or why there is none. The tokens it took are the record's either way. */
export async function gradeOf(
  answer: string | null,
  problem: BenchmarkProblem,
  graders: Graders,
  ask: Ask,
  signal: AbortSignal | undefined,
): Promise<Graded> {
  if (answer === null)
    return {
      status: "scored",
      correct: false,
      score: isPartial(problem) ? 0 : null,
      extracted: null,
      rule: null,
      steps: [],
      error: null,
    };
  const answered = await ask<Verdict | null>((late) =>
    gradeProblem(answer, problem, graders, signal ? AbortSignal.any([late, signal]) : late),
  );
  const none = { correct: null, score: null, extracted: null, rule: null, steps: [] };
  if (answered.status === "error") {
    if (LaconicError.is(answered.cause) && endsGrading.has(answered.cause.code)) throw answered.cause;
    return { ...none, status: "error", error: `not judged: ${answered.reason}`.slice(0, 500) };
  }
  const {
    correct = false,
    score = null,
    extracted = null,
    rule = null,
    decided = true,
    limited = false,
    steps = [],
  } = answered.value ?? {};
  return decided
    ? { status: "scored", correct, score, extracted, rule, steps: bounded(steps), error: null }
    : {
        status: "undecided",
        correct: null,
        score: null,
        extracted,
        rule,
        steps: bounded(steps),
        // What repeats whenever the answer is judged is no failure of the bench.
        error: limited ? null : (rule ?? "undecided"),
      };
}

/** Answers to it can be partly right. */
function isPartial({ grading }: BenchmarkProblem): boolean {
  return grading.kind === "text" && grading.words === true;
}

/** What a record keeps of the way to a verdict. */
function bounded(steps: readonly GradingStep[]): GradingStep[] {
  const { characters, steps: most } = gradingStepLimits;
  const cut = (text: string): string => (text.length <= characters ? text : `${text.slice(0, characters)}…`);
  return steps.slice(0, most).map(({ name, answer, gold, ended }) => ({
    name: cut(name),
    answer: cut(answer),
    gold: gold === null ? null : cut(gold),
    ...(ended !== undefined && { ended: cut(ended) }),
  }));
}

/** Refusals of the grading itself, that every answer would meet. What is wrong with one problem's tests is that problem's error. */
const endsGrading: ReadonlySet<LaconicErrorCode> = new Set(["aborted", "config_invalid"]);
