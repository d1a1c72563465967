/**
 * A conformance suite for servers of the Tinker protocol, and a test server over any engine, with faults.
 * @module @laconic/tinker/testing
 */
export { probeServer, type ProbeOptions } from "./probe/probe-server.ts";
export { startTinkerServer, type TinkerServer } from "./tinker-server.ts";
export { skyrlTrainServer, type TinkerServerOptions } from "./tinker-service.ts";
export type { Fault } from "./faults.ts";
