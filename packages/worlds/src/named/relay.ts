import * as z from "zod";
import { relayLevels, type RelayLevelName, relayTask } from "@laconic/tasks";
import type { NamedTask } from "./named-task.ts";

/** The relay at a level. */
export interface RelaySettings {
  readonly name: "relay";
  readonly level: RelayLevelName;
}

export const relay: NamedTask<RelaySettings> = {
  schema: z.strictObject({ name: z.literal("relay"), level: z.enum(Object.keys(relayLevels) as RelayLevelName[]) }),
  title: ({ level }) => `relay/${level}`,
  about: ({ level }) => {
    const { holders, factsPerHolder } = relayLevels[level];
    const facts = factsPerHolder === 1 ? "a private fact" : `${factsPerHolder} private facts`;
    return `${holders} holders know ${facts} each, such as k6 (k is 6), and write to the solver unheard by each other, or stay silent. The solver sees the question, such as k+e, and what was written: its answer is right if it is the sum.`;
  },
  world: ({ level }) => `relay/${level}`,
  hasFrozenAgents: () => false,
  open: ({ level }, { heldOut }) => relayTask({ level, heldOut }),
};
