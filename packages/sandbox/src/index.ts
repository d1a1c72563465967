/**
 * Runs untrusted Python and grades programs, with WebAssembly or bubblewrap.
 * @module @laconic/sandbox
 */
export { createSandbox, defaultLimits } from "./create-sandbox.ts";
export type { SandboxOptions } from "./create-sandbox.ts";
export type { Sandbox, SandboxJob, SandboxLimits, SandboxRecord, SandboxResult, SandboxStatus } from "./sandbox.ts";
export { programRunner } from "./program-runner.ts";
export type { ProgramRun } from "./program-runner.ts";
export { selfTest } from "./self-test.ts";
export { gradeProgram } from "./grading/grade-program.ts";
export type { GradeProgramOptions, ProgramTests } from "./grading/grade-program.ts";
export type { ProgramVerdict } from "./grading/ending.ts";
export { gradeCases, gradingLimits } from "./grading/grade-cases.ts";
export type { ProgramCases } from "./grading/grade-cases.ts";
export { assembleProgram, solutionIn } from "./replies/index.ts";
export { codeGrader } from "./grading/code-grader.ts";
export type { CodeVerdict } from "./grading/code-grader.ts";
