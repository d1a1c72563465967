import { LaconicError } from "@laconic/core";
import type { GradedProblem, Grading, ProgramCase } from "./grading.ts";
import { gradeLetter } from "./letter-answer.ts";
import type { MathsGrader } from "./maths/maths-grader.ts";
import { gradeNumber } from "./number-answer.ts";
import { gradeText } from "./text-answer.ts";
import type { Verdict } from "./verdict.ts";

/**
 * `own`: the rules of this package; `lenient`: the same without those on the notation of an answer; `published`: those of the benchmark's
 * published grader, for comparing with its scores.
 */
export type GradeRule = "own" | "lenient" | "published";

/** Every rule, the default first. */
export const gradeRules: readonly GradeRule[] = ["own", "lenient", "published"];

/** All cases of a whole program. */
export interface WholeProgram {
  readonly cases: readonly ProgramCase[];
  readonly entryPoint: string | null;
}

/** Graders by kind of answer. */
export interface Graders {
  readonly maths: MathsGrader;
  /** For numbers, letters and mathematics. Default `own`. */
  readonly rule?: GradeRule;
  /** For benchmarks of code: `codeGrader` of `@laconic/sandbox`. */
  readonly code?: (
    reply: string,
    tests: Extract<Grading, { kind: "code" }> | WholeProgram,
    signal?: AbortSignal,
    rule?: GradeRule,
  ) => Promise<Verdict>;
  /** For free answers, instead of comparing their characters: such as `judgeGrader` of `@laconic/rewards`. */
  readonly text?: (
    reply: string,
    problem: Pick<GradedProblem, "question" | "gold">,
    signal?: AbortSignal,
  ) => Promise<Verdict>;
  /** For benchmarks of writing: judges the text's form, since there is no gold. `writingReward` judges two texts of a pair. */
  readonly writing?: (
    reply: string,
    grading: Extract<Grading, { kind: "writing" }>,
    signal?: AbortSignal,
  ) => Promise<Verdict>;
}

/**
 * Judges a reply as the problem's benchmark says.
 * @param signal - ends the judging: the verdict is not `decided` then
 * @throws LaconicError `config_invalid` for maths, code and writing without a grader of them: no verdict is not "wrong"; also for published
 * rules and packed cases, which `gradeProblem` of `@laconic/benchmarks` knows; `data_invalid` for a grading that is none
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
    throw new LaconicError("config_invalid", `${problem.id}: ${reason}`, { key: "rule" });
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
          ...(grading.tolerance !== undefined && { tolerance: grading.tolerance }),
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
      // From plain JavaScript, or an unchecked file.
      const { id, grading: unknown } = problem;
      const reason = `${id}: no grading is called ${JSON.stringify(unknown.kind)}`;
      throw new LaconicError("data_invalid", reason, { problem: id });
    }
  }
}

/** Kinds of answers that are read out of a reply, by a rule. */
const read: ReadonlySet<string> = new Set(["numeric", "letter", "maths"]);

function missing(kind: "code" | "maths" | "writing", { id }: GradedProblem): never {
  throw new LaconicError("config_invalid", `${id}: nothing here judges ${kind}; give a grader of ${kind}`, {
    key: kind,
  });
}
