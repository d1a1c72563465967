import type { Server } from "node:http";
import { completionHandler } from "./completion-handler.ts";
import { createHandlerServer } from "./handler-server.ts";
import { serverSettings, type CompletionServerOptions } from "./options.ts";

/** `completionHandler` behind a server of Node's, which does not listen yet. */
export function createCompletionServer(options: CompletionServerOptions): Server {
  const { onError, ...callers } = serverSettings(options);
  return createHandlerServer(completionHandler(options), onError, callers);
}
