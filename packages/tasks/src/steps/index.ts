/**
 * Supervised lessons on the benchmark `steps`, for training a small base model.
 * @module @laconic/tasks/steps
 */
export { drawLessons, type Lesson } from "./lessons.ts";
