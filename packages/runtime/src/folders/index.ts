/**
 * Where this machine keeps data and what can be made again.
 * @module @laconic/runtime/folders
 */
export { dataFolder } from "./data-folder.ts";
export { environmentValue } from "./environment.ts";
export { trusting } from "./made-here.ts";
