import { configError, dataError, present } from "@laconic/core";
import type { GradedProblem, Grading, ProgramCase } from "./grading.ts";
import { gradeLetter } from "./letter-answer.ts";
import type { MathsGrader } from "./maths/maths-grader.ts";
import { gradeNumber } from "./number-answer.ts";
import { gradeText } from "./text-answer.ts";
import type { Verdict } from "./verdict.ts";

/** `own`: this package's rules; `lenient`: without those on notation; `published`: the benchmark's grader. */
export type GradeRule = "own" | "lenient" | "published";

/** The default is first. */
export const gradeRules: readonly GradeRule[] = ["own", "lenient", "published"];

/** All cases of a whole program. */
export interface WholeProgram {
  readonly cases: readonly ProgramCase[];
  readonly entryPoint: string | null;
}

/** Graders by answer kind. */
export interface Graders {
  readonly maths: MathsGrader;
  /** Used for numbers, letters and mathematics. Default `own`. */
  readonly rule?: GradeRule;
  /** `codeGrader` of `@laconic/sandbox`. */
  readonly code?: (
    reply: string,
    tests: Extract<Grading, { kind: "code" }> | WholeProgram,
    signal?: AbortSignal,
    rule?: GradeRule,
  ) => Promise<Verdict>;
  /** Grader such as `judgeGrader` of `@laconic/rewards`. Default: compares characters. */
  readonly text?: (
    reply: string,
    problem: Pick<GradedProblem, "question" | "gold">,
    signal?: AbortSignal,
  ) => Promise<Verdict>;
  /** Grader such as `writingReward`. */
  readonly writing?: (
    reply: string,
    grading: Extract<Grading, { kind: "writing" }>,
    signal?: AbortSignal,
  ) => Promise<Verdict>;
}

/**
 * Grades a reply by its benchmark's rules.
 * @param signal - aborts; the verdict is then not `decided`
 * @throws LaconicError `config_invalid` without a grader, and for published rules and packed cases (see
 * `gradeProblem`); `data_invalid`
 */
export async function gradeAnswer(
  reply: string,
  problem: GradedProblem,
  graders: Graders,
  signal?: AbortSignal,
): Promise<Verdict> {
  const { grading, gold } = problem;
  const { maths, code, text, writing, rule = "own" }: Partial<Graders> = graders;
  const isElsewhere =
    grading.kind === "program" ? grading.hidden !== "" : rule === "published" && read.has(grading.kind);
  if (isElsewhere) {
    const reason = "published rules and packed cases are judged by gradeProblem of @laconic/benchmarks";
    throw configError(`${problem.id}: ${reason}`, { key: "rule" });
  }
  switch (grading.kind) {
    case "numeric":
      return gradeNumber(reply, gold);
    case "letter":
      return gradeLetter(reply, gold, grading.letters);
    case "maths":
      return (maths ?? missing("maths", problem)).grade(
        reply,
        gold,
        {
          bareGold: true,
          ...(rule === "lenient" && { lenient: true }),
          ...present({ tolerance: grading.tolerance }),
        },
        signal,
      );
    case "text":
      return text ? text(reply, problem, signal) : gradeText(reply, gold, grading);
    case "code":
      return (code ?? missing("code", problem))(reply, grading, signal, rule);
    case "program": {
      const { entryPoint, shown: cases } = grading;
      return (code ?? missing("code", problem))(reply, { entryPoint, cases }, signal, rule);
    }
    case "writing":
      return (writing ?? missing("writing", problem))(reply, grading, signal);
    default: {
      // Untyped code reaches this.
      const { id, grading: unknown } = problem;
      const reason = `${id}: unknown grading ${JSON.stringify(unknown.kind)}`;
      throw dataError(reason, { problem: id });
    }
  }
}

const read: ReadonlySet<string> = new Set(["numeric", "letter", "maths"]);

function missing(kind: "code" | "maths" | "writing", { id }: GradedProblem): never {
  throw configError(`${id}: no grader for ${kind}; give a grader of ${kind}`, { key: kind });
}
