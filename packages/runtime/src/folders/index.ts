/**
 * Where this machine keeps data and what can be made again.
 * @module
 */
export { dataFolder } from "./data-folder.ts";
export { environmentValue } from "./environment.ts";
