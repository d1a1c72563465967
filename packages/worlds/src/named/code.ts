import * as z from "zod";
import type { CodeTaskSettings } from "../text/pair-tasks.ts";
import type { NamedTask } from "./named-task.ts";

export const code: NamedTask<CodeTaskSettings> = {
  schema: z.strictObject({
    name: z.literal("code"),
    benchmark: z.enum(["coophumaneval", "humaneval"]),
    turns: z.union([z.literal(1), z.literal(2)]),
    replyTokens: z.int().min(1).exactOptional(),
  }),
  title: ({ benchmark, turns }) => `code/${benchmark}/${turns}`,
  about: ({ turns }) =>
    `One writer programs a helper function, the other the main function that may call it, at once. The grade is for both together: structure, syntax, tests passed, and whether the helper is used${turns === 2 ? "; in a second turn both are told what failed" : ""}.`,
  world: () => null,
  hasFrozenAgents: () => false,
  open: async (settings, resources) => (await import("../text/pair-tasks.ts")).codeTask(settings, resources),
};
