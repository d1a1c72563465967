import * as z from "zod";
import { storyRelayTask, type StoryRelayOptions } from "../stories/relay.ts";
import type { NamedTask } from "./named-task.ts";
import { tellerFields } from "./teller-fields.ts";
import { storyResources } from "./story-resources.ts";

/** One tells a story on, one answers from what it heard. */
export interface StoryRelaySettings extends Omit<StoryRelayOptions, "heldOut" | "tokenizer"> {
  readonly name: "story-relay";
}

export const storyRelay: NamedTask<StoryRelaySettings> = {
  schema: z.strictObject({
    name: z.literal("story-relay"),
    ...tellerFields,
  }),
  title: () => "story-relay",
  world: () => null,
  hasFrozenAgents: () => false,
  open: async (settings, resources) => storyRelayTask({ ...settings, ...(await storyResources(resources)) }),
};
