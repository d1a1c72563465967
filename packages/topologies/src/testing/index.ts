/**
 * Test doubles, and the test suite for topologies.
 * @module @laconic/topologies/testing
 */
export { randomPolicy, type RandomPolicySettings } from "./random-policy.ts";
export { topologyCases, type TopologyCase, type TopologySubject } from "./topology-cases.ts";
