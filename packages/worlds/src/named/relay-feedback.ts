import * as z from "zod";
import { relayFeedbackTask } from "@laconic/tasks";
import type { NamedTask } from "./named-task.ts";

/** Two policies write for one grade in two turns, with feedback from outside. */
export interface RelayFeedbackSettings {
  readonly name: "relay-feedback";
}

export const relayFeedback: NamedTask<RelayFeedbackSettings> = {
  schema: z.strictObject({ name: z.literal("relay-feedback") }),
  title: () => "relay-feedback",
  about: () =>
    "Two writers are each to say one value at once, which nobody has told them; in the second turn whoever was wrong is told the fact. The grade is the share of the two that are right in the end.",
  world: () => "relay/one-fact",
  hasFrozenAgents: () => false,
  open: (_, { heldOut }) => relayFeedbackTask({ heldOut }),
};
