/**
 * How a trained team is probed: families of changed test problems, those of the relay worlds and of a task of one's own.
 * @module @laconic/tasks/probes
 */
export { counterparts } from "./probe.ts";
export type { NoProbe, ProbeCase, TaskProbes } from "./probe.ts";
export { hintProbes } from "../relay-hint/probes.ts";
export { pairProbes } from "../relay-pair/probes.ts";
export { relayProbes } from "../relay/probes.ts";
