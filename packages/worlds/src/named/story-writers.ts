import * as z from "zod";
import { storyWritersTask, type StoryWritersOptions } from "../stories/writers.ts";
import type { NamedTask } from "./named-task.ts";
import { storyResources } from "./story-resources.ts";

/** Two policies go on with one story, for one grade. */
export interface StoryWritersSettings extends Omit<StoryWritersOptions, "heldOut" | "tokenizer"> {
  readonly name: "story-writers";
}

export const storyWriters: NamedTask<StoryWritersSettings> = {
  schema: z.strictObject({
    name: z.literal("story-writers"),
    replyTokens: z.int().min(1).exactOptional(),
  }),
  title: () => "story-writers",
  about: () =>
    "Two writers go on with the same story at once, the first briefly, the second at length, and neither sees the other's text. One grade is for both: for their lengths, their likeness and what they share.",
  world: () => null,
  hasFrozenAgents: () => false,
  open: async (settings, resources) => storyWritersTask({ ...settings, ...(await storyResources(resources)) }),
};
