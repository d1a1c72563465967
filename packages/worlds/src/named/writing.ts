import * as z from "zod";
import type { WritingTaskSettings } from "../text/pair-tasks.ts";
import type { NamedTask } from "./named-task.ts";

export const writing: NamedTask<WritingTaskSettings> = {
  schema: z.strictObject({
    name: z.literal("writing"),
    form: z.enum(["tldr", "arxiv"]),
    replyTokens: z.int().min(1).exactOptional(),
    strict: z.boolean().exactOptional(),
  }),
  title: ({ form }) => `writing/${form}`,
  about: ({ form }) =>
    form === "tldr"
      ? "Two writers summarise the same post at once, the first in brief, the second at length, and neither sees the other's text. One grade is for both: lengths, style and how far they say the same."
      : "Two writers introduce the same paper from its abstract at once, one its background, the other its method, and neither sees the other's text. One grade is for both: lengths, style and how far they fit together.",
  world: () => null,
  hasFrozenAgents: () => false,
  open: async (settings, resources) => (await import("../text/pair-tasks.ts")).writingTask(settings, resources),
};
