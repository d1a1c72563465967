import * as z from "zod";
import { storyTellersTask, type StoryTellersOptions } from "../stories/tellers.ts";
import type { NamedTask } from "./named-task.ts";
import { tellerFields } from "./teller-fields.ts";
import { storyResources } from "./story-resources.ts";

/** Of three tellers one knows; the others learn to be silent. */
export interface StoryTellersSettings extends Omit<StoryTellersOptions, "heldOut" | "tokenizer"> {
  readonly name: "story-tellers";
}

export const storyTellers: NamedTask<StoryTellersSettings> = {
  schema: z.strictObject({
    name: z.literal("story-tellers"),
    ...tellerFields,
  }),
  title: () => "story-tellers",
  world: () => null,
  hasFrozenAgents: () => false,
  open: async (settings, resources) => storyTellersTask({ ...settings, ...(await storyResources(resources)) }),
};
