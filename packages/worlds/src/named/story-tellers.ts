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
  about: () =>
    "One of three tellers, another one each time, goes on with a story that says whose a thing is; the others know nothing and do well to be silent. The solver hears all that is written, and is right if its first word is the owner's name.",
  world: () => null,
  hasFrozenAgents: () => false,
  open: async (settings, resources) => storyTellersTask({ ...settings, ...(await storyResources(resources)) }),
};
