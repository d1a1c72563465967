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
  world: () => null,
  hasFrozenAgents: () => false,
  open: async (settings, resources) => (await import("../text/pair-tasks.ts")).writingTask(settings, resources),
};
