/**
 * A server of the Tinker protocol for tests, over any engine, with faults on request.
 * @module @laconic/tinker/testing
 */
export { skyrlTrainServer, startTinkerServer } from "./tinker-server.ts";
export type { TinkerServer, TinkerServerOptions } from "./tinker-server.ts";
export type { Fault } from "./faults.ts";
