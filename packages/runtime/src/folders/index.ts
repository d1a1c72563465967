/**
 * Folders for data and cached files on this machine.
 * @module @laconic/runtime/folders
 */
export { dataFolder, environmentValue, trusting } from "./folders.ts";
