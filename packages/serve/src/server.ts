/**
 * HTTP server parts without models: Node adapter, graceful shutdown, and protection against foreign pages.
 * @module @laconic/serve/server
 */
export { boundPort, closeServer, createHandlerServer, listen } from "./handler-server.ts";
export type { CompletionHandler } from "./http.ts";
export { checkOwnPage } from "./request-guard.ts";
