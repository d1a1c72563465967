// What scripts/simulate.mjs bundles of other sources: plays undisturbed runs for a program whose own sources may be wrong.
import { scenarios } from "./scenarios/table.ts";
import type { Files } from "./scenario.ts";

/** Files of an undisturbed run. @param plan - of the scenario's own kind, drawn by the same seed */
export async function undisturbed(scenario: string, plan: unknown): Promise<Files | null> {
  return (await scenarios[scenario]?.undisturbed?.(plan as never)) ?? null;
}
