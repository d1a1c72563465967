/**
 * Runs and comparisons as a notebook shows them: the last value of a cell, in Jupyter with Deno's kernel and in others that ask
 * a value for its display.
 * @module @laconic/view/notebook
 */
export { showComparison, showRun } from "./shown.ts";
export type { Shown } from "./shown.ts";
