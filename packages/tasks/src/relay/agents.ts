import type { AgentId } from "@laconic/core";
import type { RelayLevel } from "./levels.ts";

/** The agents with facts, in speaking order; a level uses the first of them. */
export const relayHolders: readonly AgentId[] = ["holder-a", "holder-b", "holder-c", "holder-d"];

/** The agent that answers. It never sees a fact. */
export const relaySolver: AgentId = "solver";

export function holdersOf(level: RelayLevel): readonly AgentId[] {
  return relayHolders.slice(0, level.holders);
}
