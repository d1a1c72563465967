import * as z from "zod";
import { relayHintTask, type RelayHintOptions } from "@laconic/tasks";
import type { NamedTask } from "./named-task.ts";

/** A policy writes hints for an actor that does not learn. */
export interface RelayHintSettings extends Omit<RelayHintOptions, "heldOut"> {
  readonly name: "relay-hint";
}

export const relayHint: NamedTask<RelayHintSettings> = {
  schema: z.strictObject({
    name: z.literal("relay-hint"),
    distractors: z.int().min(0).max(8).exactOptional(),
    hintTokens: z.int().min(1).max(28).exactOptional(),
    learns: z.enum(["collaborator", "actor"]).exactOptional(),
  }),
  title: () => "relay-hint",
  about: () =>
    "An actor is asked for a sum, such as k+e, and knows the first value and every other time the second; the collaborator knows the second and writes it a hint. One of the two learns, and the answer is right if it is the sum.",
  world: () => "relay/one-fact",
  hasFrozenAgents: () => true,
  open: (settings, { heldOut }) => relayHintTask({ ...settings, heldOut }),
};
