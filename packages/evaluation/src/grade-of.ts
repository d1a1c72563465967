import { gradeAnswer, type BenchmarkProblem, type Graders, type Verdict } from "@laconic/benchmarks";
import { LaconicError, type LaconicErrorCode } from "@laconic/core";
import type { Ask } from "@laconic/rewards";
import type { SampleRecord } from "./sample-record.ts";

/** The part of a record that grading writes. */
export type Graded = Pick<SampleRecord, "status" | "correct" | "score" | "extracted" | "rule" | "error">;

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
      error: null,
    };
  const answered = await ask<Verdict | null>((late) =>
    gradeAnswer(answer, problem, graders, signal ? AbortSignal.any([late, signal]) : late),
  );
  const none = { correct: null, score: null, extracted: null, rule: null };
  if (answered.status === "error") {
    if (LaconicError.is(answered.cause) && endsGrading.has(answered.cause.code)) throw answered.cause;
    return { ...none, status: "error", error: `not judged: ${answered.reason}`.slice(0, 500) };
  }
  const { correct = false, score = null, extracted = null, rule = null, decided = true } = answered.value ?? {};
  return decided
    ? { status: "scored", correct, score, extracted, rule, error: null }
    : { status: "undecided", correct: null, score: null, extracted, rule, error: rule ?? "undecided" };
}

/** Answers to it can be partly right. */
function isPartial({ grading }: BenchmarkProblem): boolean {
  return grading.kind === "text" && grading.words === true;
}

/** Refusals of the grading itself, that every answer would meet. What is wrong with one problem's tests is that problem's error. */
const endsGrading: ReadonlySet<LaconicErrorCode> = new Set(["aborted", "config_invalid"]);
