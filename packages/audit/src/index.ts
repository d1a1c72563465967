/**
 * A second implementation of training: recomputes a run from its folder and reports any difference.
 * @module @laconic/audit
 */
export { auditRun } from "./audit-run.ts";
export type { AuditOptions, AuditReport } from "./audit-run.ts";
export type { FileCoverage } from "./folder/file-coverage.ts";
export type { Difference, Stage, Tolerance } from "./findings.ts";
export { checkKnownSettings } from "./rules/settings.ts";
export { auditText } from "./report.ts";
