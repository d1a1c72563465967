/**
 * Conformance suite of sandboxes.
 * @module @laconic/sandbox/testing
 */
export { sandboxCases } from "./sandbox-cases.ts";
export type { SandboxCase } from "./sandbox-cases.ts";
