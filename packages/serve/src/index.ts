/**
 * A policy behind an OpenAI-compatible HTTP endpoint.
 * @module @laconic/serve
 */
export { createCompletionServer } from "./completion-server.ts";
export type { CompletionServerOptions } from "./completion-server.ts";
