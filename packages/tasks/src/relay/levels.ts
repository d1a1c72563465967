import type { AgentId } from "@laconic/core";

/**
 * How hard a relay is. Every level has one solver and asks for the sum of two values that lie with two different
 * holders, so at least one holder has nothing to add.
 */
export interface RelayLevel {
  readonly name: RelayLevelName;
  /** Agents with private facts, 3 or 4. */
  readonly holders: number;
  /** Key-value facts each of them holds; more than one asks for a lookup. */
  readonly factsPerHolder: number;
}

/** The name of a level of the relay world. */
export type RelayLevelName = "one-fact" | "two-facts" | "four-holders";

/** The levels of the relay world, from the easiest on. */
export const relayLevels: Readonly<Record<RelayLevelName, RelayLevel>> = {
  /** Say your fact or be silent: the level of the quickstart. */
  "one-fact": { name: "one-fact", holders: 3, factsPerHolder: 1 },
  /** Look the asked key up among two. */
  "two-facts": { name: "two-facts", holders: 3, factsPerHolder: 2 },
  /** Two of four have nothing to add: silence pays twice. */
  "four-holders": { name: "four-holders", holders: 4, factsPerHolder: 2 },
};

/** The agents with facts, in speaking order; a level uses the first of them. */
export const relayHolders: readonly AgentId[] = ["holder-a", "holder-b", "holder-c", "holder-d"];

/** The agent that answers. It never sees a fact. */
export const relaySolver: AgentId = "solver";

export function holdersOf(level: RelayLevel): readonly AgentId[] {
  return relayHolders.slice(0, level.holders);
}
