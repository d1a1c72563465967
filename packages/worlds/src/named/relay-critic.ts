import * as z from "zod";
import { relayCriticTask, type RelayCriticOptions } from "@laconic/tasks";
import type { NamedTask } from "./named-task.ts";

/** A policy comments on the drafts of an actor that does not learn. */
export interface RelayCriticSettings extends Omit<RelayCriticOptions, "heldOut"> {
  readonly name: "relay-critic";
}

export const relayCritic: NamedTask<RelayCriticSettings> = {
  schema: z.strictObject({ name: z.literal("relay-critic"), commentTokens: z.int().min(1).max(28).exactOptional() }),
  title: () => "relay-critic",
  about: () =>
    "An actor that does not learn drafts a sum, such as k+e, of which it knows one value; the critic knows the other one and comments on the draft. The actor answers again with the comment, and is right if its second answer is the sum.",
  world: () => "relay/one-fact",
  hasFrozenAgents: () => true,
  open: (settings, { heldOut }) => relayCriticTask({ ...settings, heldOut }),
};
