/**
 * Checks a run folder with plain formulas and names what it does not cover.
 * @module @laconic/verify
 */
export { verifyRun, type VerifyReport } from "./verify-run.ts";
export type { Contradiction, Place, Stage } from "./findings.ts";
export { verifyText } from "./report.ts";
