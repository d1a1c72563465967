/**
 * Serves policies and teams on an OpenAI-compatible HTTP endpoint.
 * @module @laconic/serve
 */
export { completionHandler, createCompletionServer } from "./completion-handler.ts";
export type { CompletionHandler } from "./http.ts";
export { boundPort, closeServer, createHandlerServer, listen, type Patience } from "./handler-server.ts";
export type { CompletionServerOptions, PromptScorer, ServedModel, ServedTeam } from "./options.ts";
export { createGateway, type Gateway, type GatewayStatus, type GatewayStep } from "./gateway/gateway.ts";
export type { GatewayAgent, GatewayOptions } from "./gateway/gateway-options.ts";
export { restore } from "./gateway/journal.ts";
export type { GatewayEvent } from "./gateway/rollout-registry.ts";
export type { FinishedRollout } from "./gateway/rollout-record.ts";

export { hermesTools } from "@laconic/topologies";
export type { ToolDefinition, ToolFormat, ToolMessage, WrittenCall } from "@laconic/core";
export type { CalledTool } from "./forms.ts";
