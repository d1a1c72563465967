/**
 * What any handler of requests needs behind a server of Node's, without models: the adapter, an orderly end, and the guard
 * against pages from elsewhere.
 * @module @laconic/serve/server
 */
export { boundPort, closeServer, createHandlerServer, listen } from "./handler-server.ts";
export type { CompletionHandler } from "./http.ts";
export { checkOrigin, checkOwnPage, isLoopback } from "./request-guard.ts";
