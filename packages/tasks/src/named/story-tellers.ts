import * as z from "zod";
import { storyTellersTask, type StoryTellersOptions } from "../stories/tellers.ts";
import type { NamedTask } from "./named-task.ts";
import { storyResources } from "./story-resources.ts";

/** Of three tellers one knows; the others learn to be silent. */
export interface StoryTellersSettings extends Omit<StoryTellersOptions, "heldOut" | "tokenizer"> {
  readonly name: "story-tellers";
}

export const storyTellers: NamedTask<StoryTellersSettings> = {
  schema: z.strictObject({
    name: z.literal("story-tellers"),
    tellerTokens: z.int().min(1).exactOptional(),
    solverTokens: z.int().min(1).exactOptional(),
  }),
  title: () => "story-tellers",
  world: () => null,
  hasFrozenAgents: () => false,
  open: async (settings, resources) => storyTellersTask({ ...settings, ...(await storyResources(resources)) }),
};
