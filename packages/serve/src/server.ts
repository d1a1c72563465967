/**
 * What any handler of requests needs behind a server of Node's, without models: the adapter, an orderly end, and the guard
 * against pages from elsewhere.
 * @module @laconic/serve/server
 */
export { closeServer } from "./close-server.ts";
export type { CompletionHandler } from "./completion-handler.ts";
export { createHandlerServer } from "./handler-server.ts";
export { boundPort, listen } from "./listen.ts";
export { checkOrigin, checkOwnPage, isLoopback } from "./request-guard.ts";
