/**
 * Supervised warm starts.
 * @module @laconic/tasks/warm-start
 */
export type { Course, ExampleSource, WarmStartSteps } from "./course.ts";
export { beforeWarmStartKey, giveWarmStart, measureBefore, warmStartText } from "./give-warm-start.ts";
export type { MeasuredRun, WarmStartPupil } from "./give-warm-start.ts";
export { ownersCourse, type OwnersWarmStart } from "./owners.ts";
