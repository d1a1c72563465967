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
  about: () =>
    "A teller goes on with a story of whose a thing is; the solver sees the thing and what the teller wrote, not the story. The answer is right if its first word is the owner's name.",
  world: () => null,
  hasFrozenAgents: () => false,
  open: async (settings, resources) => storyRelayTask({ ...settings, ...(await storyResources(resources)) }),
};
