/**
 * The suite that every task passes.
 * @module @laconic/tasks/testing
 */
export { gradeOf, gradingOf } from "../grading.ts";
export { taskCases } from "./task-cases.ts";
export type { TaskCase, TaskSubject } from "./task-cases.ts";
