import * as z from "zod";
import { relayLevels, type RelayLevelName } from "../relay/levels.ts";
import { relayTask } from "../relay/task.ts";
import type { NamedTask } from "./named-task.ts";

/** The relay at a level. */
export interface RelaySettings {
  readonly name: "relay";
  readonly level: RelayLevelName;
}

export const relay: NamedTask<RelaySettings> = {
  schema: z.strictObject({ name: z.literal("relay"), level: z.enum(Object.keys(relayLevels) as RelayLevelName[]) }),
  title: ({ level }) => `relay/${level}`,
  world: ({ level }) => `relay/${level}`,
  hasFrozenAgents: () => false,
  open: ({ level }, { heldOut }) => relayTask({ level, heldOut }),
};
