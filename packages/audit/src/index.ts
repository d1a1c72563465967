/**
 * A second implementation of training: computes a run again from its folder and reports every difference.
 * @module @laconic/audit
 */
export { auditRun } from "./audit-run.ts";
export type { AuditOptions, AuditReport } from "./audit-run.ts";
export type { Difference, Stage, Tolerance } from "./findings.ts";
export { checkKnownSettings } from "./known-settings.ts";
export { pythonHere } from "./python-policy.ts";
export { auditText } from "./report.ts";
