/**
 * A conformance suite for servers of the Tinker protocol, and a test server over any engine, with faults.
 * @module @laconic/tinker/testing
 */
export { probeServer } from "./probe/probe-server.ts";
export type { ProbeOptions } from "./probe/probe-server.ts";
export { startTinkerServer } from "./tinker-server.ts";
export type { TinkerServer } from "./tinker-server.ts";
export { skyrlTrainServer } from "./tinker-service.ts";
export type { TinkerServerOptions } from "./tinker-service.ts";
export type { Fault } from "./faults.ts";
