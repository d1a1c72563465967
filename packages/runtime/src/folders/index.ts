/**
 * Folders for data and cached files on this machine.
 * @module @laconic/runtime/folders
 */
export { dataFolder } from "./folders.ts";
export { environmentValue } from "./folders.ts";
export { trusting } from "./folders.ts";
