import * as z from "zod";
import { relayWritersTask, type WritersParts } from "../relay-pair/writers.ts";
import type { NamedTask } from "./named-task.ts";

/** Two policies write for one grade. */
export interface RelayWritersSettings {
  readonly name: "relay-writers";
  /** A name and what it stands for, or two parts of like length. Default `unlike`. */
  readonly parts?: WritersParts;
}

export const relayWriters: NamedTask<RelayWritersSettings> = {
  schema: z.strictObject({ name: z.literal("relay-writers"), parts: z.enum(["unlike", "alike"]).exactOptional() }),
  title: ({ parts = "unlike" }) => (parts === "unlike" ? "relay-writers" : `relay-writers/${parts}`),
  world: () => "relay/one-fact",
  hasFrozenAgents: () => false,
  open: ({ parts }, { heldOut }) => relayWritersTask({ heldOut, ...(parts && { parts }) }),
};
