/**
 * A policy behind an OpenAI-compatible HTTP endpoint.
 * @module @laconic/serve
 */
export { closeServer } from "./close-server.ts";
export { completionHandler } from "./completion-handler.ts";
export type { CompletionHandler } from "./completion-handler.ts";
export { createCompletionServer } from "./completion-server.ts";
export type { CompletionServerOptions } from "./options.ts";
export type { PromptScorer } from "./echo.ts";
export { isLoopback } from "./request-guard.ts";
