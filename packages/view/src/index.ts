/**
 * A dashboard over run folders, and a playground where a team trains in the browser.
 * @module @laconic/view
 */
export { webFolder } from "./web-folder.ts";
export { pagePolicy, plainHeaders, staticFiles } from "./static-files.ts";
export type { StaticFiles } from "./static-files.ts";
export type * from "./protocol.ts";
