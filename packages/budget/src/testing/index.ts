/**
 * A simulated team to try a controller on.
 * @module @laconic/budget/testing
 */
export { simulate, type SimulatedIteration } from "./simulate.ts";
export { simulatedTeam, type SimulatedTeamOptions } from "./simulated-team.ts";
