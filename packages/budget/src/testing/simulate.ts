import type { BudgetController, BudgetDiagnostics } from "../dual-controller.ts";
import type { BudgetMeasurement } from "../measurement.ts";
import type { BudgetState } from "../state.ts";
import type { SimulatedTeam, SimulatedTeamState } from "./simulated-team.ts";

export interface SimulatedRun {
  readonly controller: BudgetState;
  readonly team: SimulatedTeamState;
}

/** Measurement, price and diagnostics of one simulated iteration. */
export interface SimulatedIteration extends Required<BudgetMeasurement> {
  readonly price: number;
  readonly diagnostics: BudgetDiagnostics;
}

/** Simulates controller and team from a seed, or resumes an earlier run. */
export function simulate(
  controller: BudgetController,
  team: SimulatedTeam,
  iterations: number,
  start: SimulatedRun | number,
): { readonly end: SimulatedRun; readonly rows: readonly SimulatedIteration[] } {
  let end = typeof start === "number" ? { controller: controller.init(), team: team.init(start) } : start;
  const rows: SimulatedIteration[] = [];
  for (let i = 0; i < iterations; i++) {
    const { price } = end.controller;
    const { state: teamState, measurement } = team.step(end.team, price);
    const { state, diagnostics } = controller.step(end.controller, measurement);
    rows.push({ price, ...measurement, diagnostics });
    end = { controller: state, team: teamState };
  }
  return { end, rows };
}
