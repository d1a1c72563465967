/**
 * Generated word problems of one to four steps, with known facts, solutions and wrong drafts.
 * @module @laconic/benchmarks/steps
 */
export { drawSteps, drawWrongDraft, stepsFamilies, stepsQuestion, stepsSolution } from "./problem.ts";
export type {
  Calculation,
  StepsFact,
  StepsFamily,
  StepsFamilyName,
  StepsOptions,
  StepsProblem,
  WrongDraft,
} from "./problem.ts";
export { stepsProblem, stepsRows, type StepsRow } from "./splits.ts";
