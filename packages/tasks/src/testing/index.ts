/**
 * Test suites for tasks and environments.
 * @module @laconic/tasks/testing
 */
export { gradeOf, gradingOf } from "../grading.ts";
export { environmentCases } from "./environment-cases.ts";
export type { EnvironmentCase, EnvironmentSubject } from "./environment-cases.ts";
export { taskCases } from "./task-cases.ts";
export type { TaskCase, TaskSubject } from "./task-cases.ts";
