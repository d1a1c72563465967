/**
 * Tests servers of the Tinker protocol, and runs a test server with faults over any engine.
 * @module @laconic/tinker/testing
 */
export { probeServer, type ProbeOptions } from "./probe/probe-server.ts";
export { startTinkerServer, type TinkerServer } from "./tinker-server.ts";
export { skyrlTrainServer, type TinkerServerOptions } from "./tinker-service.ts";
export type { Fault } from "./faults.ts";
