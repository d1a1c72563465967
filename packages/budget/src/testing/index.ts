/**
 * A simulated team to try a controller on.
 * @module @laconic/budget/testing
 */
export { simulate } from "./simulate.ts";
export type { SimulatedIteration } from "./simulate.ts";
export { simulatedTeam } from "./simulated-team.ts";
export type { SimulatedTeamOptions } from "./simulated-team.ts";
