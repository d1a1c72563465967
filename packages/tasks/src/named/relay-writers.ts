import * as z from "zod";
import { relayWritersTask } from "../relay-pair/writers.ts";
import type { NamedTask } from "./named-task.ts";

/** Two policies write for one grade. */
export interface RelayWritersSettings {
  readonly name: "relay-writers";
}

export const relayWriters: NamedTask<RelayWritersSettings> = {
  schema: z.strictObject({ name: z.literal("relay-writers") }),
  title: () => "relay-writers",
  world: () => "relay/one-fact",
  hasFrozenAgents: () => false,
  open: (_, { heldOut }) => relayWritersTask({ heldOut }),
};
