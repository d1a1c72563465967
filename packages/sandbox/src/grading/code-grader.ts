import type { Sandbox } from "../sandbox.ts";
import { assembleProgram } from "../replies/assemble-program.ts";
import { gradeCases, type ProgramCases } from "./grade-cases.ts";
import { gradeProgram, type GradeProgramOptions, type ProgramTests, type ProgramVerdict } from "./grade-program.ts";

/** What a code grader says of a reply; the shape of the verdicts of `@laconic/benchmarks`. */
export interface CodeVerdict {
  readonly correct: boolean;
  /** The program that was run. */
  readonly extracted: string;
  readonly rule: string;
  readonly certainty: "exact" | "undecided";
  /** False where the machine kept it from a verdict. */
  readonly decided: boolean;
  /** What the tests called it with, and what it answered. */
  readonly steps: ProgramVerdict["steps"];
}

/**
 * Grades replies to "complete this function": takes the code out of a reply, puts it behind the prompt, runs the tests; and replies that are
 * whole programs, by {@link gradeCases}.
 */
export function codeGrader(
  sandbox: Sandbox,
  options: GradeProgramOptions = {},
): (reply: string, tests: ProgramTests | ProgramCases, signal?: AbortSignal) => Promise<CodeVerdict> {
  return async (reply, tests, signal) => {
    const limits = { ...options, ...(signal && { signal }) };
    if ("cases" in tests) {
      const { correct, decided, rule, program, steps } = await gradeCases(reply, tests, sandbox, limits);
      return { correct, decided, extracted: program, rule, certainty: decided ? "exact" : "undecided", steps };
    }
    const extracted = assembleProgram(tests.prompt, reply, tests.entryPoint);
    const { correct, decided, rule, steps } = await gradeProgram(extracted, tests, sandbox, limits);
    return {
      correct,
      decided,
      extracted,
      rule: `two-phase, ${rule}`,
      certainty: decided ? "exact" : "undecided",
      steps,
    };
  };
}
