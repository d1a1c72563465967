/**
 * Finds the Python program of a reply, also in browsers.
 * @module @laconic/sandbox/replies
 */
export { assembleProgram } from "./assemble-program.ts";
export { solutionIn } from "./solution.ts";
