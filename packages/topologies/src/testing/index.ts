/**
 * Test doubles, and the test suite for topologies.
 * @module @laconic/topologies/testing
 */
export { randomPolicy } from "./random-policy.ts";
export type { RandomPolicySettings } from "./random-policy.ts";
export { topologyCases } from "./topology-cases.ts";
export type { TopologyCase, TopologySubject } from "./topology-cases.ts";
