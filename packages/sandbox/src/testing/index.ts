/**
 * Conformance suite of sandboxes.
 * @module @laconic/sandbox/testing
 */
export { sandboxCases, type SandboxCase } from "./sandbox-cases.ts";
