/**
 * Runs untrusted Python and grades programs, with WebAssembly or bubblewrap.
 * @module @laconic/sandbox
 */
export { createSandbox, defaultLimits, type SandboxOptions } from "./create-sandbox.ts";
export type { Sandbox, SandboxJob, SandboxLimits, SandboxRecord, SandboxResult, SandboxStatus } from "./sandbox.ts";
export { programRunner, type ProgramRun } from "./program-runner.ts";
export { selfTest } from "./self-test.ts";
export { gradeProgram, type GradeProgramOptions, type ProgramTests } from "./grading/grade-program.ts";
export type { ProgramVerdict } from "./grading/ending.ts";
export { gradeCases, gradingLimits, type ProgramCases } from "./grading/grade-cases.ts";
export { assembleProgram, solutionIn } from "./replies/index.ts";
export { codeGrader, type CodeVerdict } from "./grading/code-grader.ts";
