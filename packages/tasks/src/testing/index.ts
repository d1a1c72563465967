/**
 * Test suites for tasks and environments.
 * @module @laconic/tasks/testing
 */
export { gradeOf, gradingOf } from "../grading.ts";
export { environmentCases, type EnvironmentCase, type EnvironmentSubject } from "./environment-cases.ts";
export { taskCases, type TaskCase, type TaskSubject } from "./task-cases.ts";
