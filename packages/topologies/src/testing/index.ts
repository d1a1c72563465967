/**
 * Test doubles and the suite every topology passes.
 * @module @laconic/topologies/testing
 */
export { babbler } from "./babbler.ts";
export type { BabblerSettings } from "./babbler.ts";
export { topologyCases } from "./topology-cases.ts";
export type { TopologyCase, TopologySubject } from "./topology-cases.ts";
