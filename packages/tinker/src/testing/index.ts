/**
 * A server of the Tinker protocol for tests, over any engine, with faults on request.
 * @module @laconic/tinker/testing
 */
export { startTinkerServer } from "./tinker-server.ts";
export type { TinkerServer } from "./tinker-server.ts";
export { skyrlTrainServer } from "./tinker-service.ts";
export type { TinkerServerOptions } from "./tinker-service.ts";
export type { Fault } from "./faults.ts";
