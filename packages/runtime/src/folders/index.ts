/**
 * Where this machine keeps data and what can be made again.
 * @module @laconic/runtime/folders
 */
export { dataFolder } from "./folders.ts";
export { environmentValue } from "./folders.ts";
export { trusting } from "./folders.ts";
