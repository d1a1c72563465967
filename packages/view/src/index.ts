/**
 * A dashboard over run folders, and a playground where a team trains in the browser.
 * @module @laconic/view
 */
export type * from "./protocol.ts";
