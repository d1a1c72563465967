import * as z from "zod";
import { relayFeedbackTask } from "../relay-pair/feedback.ts";
import type { NamedTask } from "./named-task.ts";

/** Two policies write for one grade in two turns, with feedback from outside. */
export interface RelayFeedbackSettings {
  readonly name: "relay-feedback";
}

export const relayFeedback: NamedTask<RelayFeedbackSettings> = {
  schema: z.strictObject({ name: z.literal("relay-feedback") }),
  title: () => "relay-feedback",
  world: () => "relay/one-fact",
  hasFrozenAgents: () => false,
  open: (_, { heldOut }) => relayFeedbackTask({ heldOut }),
};
