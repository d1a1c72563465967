/**
 * Supervised warm starts of the story worlds: what a model learns before its team trains, in Node and in browsers.
 * @module @laconic/tasks/warm-start
 */
export { worldCourse } from "./world-course.ts";
export type { WarmStartSteps, WorldWarmStart } from "./world-course.ts";
export type { Course, ExampleSource } from "./course.ts";
export { giveWarmStart } from "./give-warm-start.ts";
export type { WarmStartPupil, WarmStartWatch } from "./give-warm-start.ts";
export { beforeWarmStartKey, measureBefore, warmStartText } from "./before-warm-start.ts";
export type { MeasuredRun } from "./before-warm-start.ts";
