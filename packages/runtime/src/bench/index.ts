/**
 * Opens and runs benches: trained teams, methods and benchmarks of modules, models behind servers.
 * @module @laconic/runtime/bench
 */
export { checkBenchTrust } from "./own-values.ts";
export { taskOfRun } from "./play-tasks.ts";
export { userDefinedBenchValues, withoutFiles } from "./own-values.ts";
export { keepQuestions, playQuestions, prepareQuestions } from "./play-questions.ts";
export type { PreparedQuestions, QuestionLimits, QuestionSources } from "./play-questions.ts";
export { playTasks } from "./play-tasks.ts";
export type { TaskLimits, TaskOutcome } from "./play-tasks.ts";
