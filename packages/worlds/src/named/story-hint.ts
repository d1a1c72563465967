import * as z from "zod";
import { storyHintTask, type StoryHintOptions } from "../stories/hint.ts";
import type { NamedTask } from "./named-task.ts";
import { storyResources } from "./story-resources.ts";

/** A helper that sees no more than the frozen actor does learns to help it. */
export interface StoryHintSettings extends Omit<StoryHintOptions, "heldOut" | "tokenizer"> {
  readonly name: "story-hint";
}

export const storyHint: NamedTask<StoryHintSettings> = {
  schema: z.strictObject({
    name: z.literal("story-hint"),
    hintTokens: z.int().min(1).exactOptional(),
    actorTokens: z.int().min(1).exactOptional(),
    learns: z.enum(["helper", "actor"]).exactOptional(),
  }),
  title: () => "story-hint",
  about: () =>
    "A helper writes a few words behind the beginning of a story, and an actor goes on from there; both see the same beginning, and one of them learns. It counts as right if somebody in the story speaks.",
  world: () => null,
  hasFrozenAgents: () => true,
  open: async (settings, resources) => storyHintTask({ ...settings, ...(await storyResources(resources)) }),
};
