/**
 * Opens and runs benches: trained teams, methods and benchmarks of modules, models behind servers.
 * @module @laconic/runtime/bench
 */
export { checkBenchTrust, userDefinedBenchValues, withoutFiles } from "./own-values.ts";
export { taskOfRun, playTasks, type TaskLimits, type TaskOutcome } from "./play-tasks.ts";
export { keepQuestions, playQuestions, prepareQuestions, scoredSplit } from "./play-questions.ts";
export type { PreparedQuestions, QuestionLimits, QuestionSources } from "./play-questions.ts";
