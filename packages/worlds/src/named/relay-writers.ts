import * as z from "zod";
import { relayWritersTask, type WritersParts } from "@laconic/tasks";
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
  about: ({ parts = "unlike" }) =>
    parts === "unlike"
      ? "Two writers know the same fact, such as k6, and write at once: the first is to name it briefly, the second to tell it in at least four times the length. One grade is for both, and full when both lengths, their ratio and both contents are right."
      : "Two writers know the same fact, such as k6, and write at once, at like length. One grade is for both, and full when both lengths and both contents are right.",
  world: () => "relay/one-fact",
  hasFrozenAgents: () => false,
  open: ({ parts }, { heldOut }) => relayWritersTask({ heldOut, ...(parts && { parts }) }),
};
