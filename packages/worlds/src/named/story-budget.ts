import * as z from "zod";
import { storyBudgetTask, type StoryBudgetOptions } from "../stories/budget.ts";
import { budgetFormNames } from "../stories/budget-forms.ts";
import type { NamedTask } from "./named-task.ts";
import { storyResources } from "./story-resources.ts";

/** The budget stands in the prompt, and the team learns to keep to it. */
export interface StoryBudgetSettings extends Omit<StoryBudgetOptions, "heldOut" | "tokenizer"> {
  readonly name: "story-budget";
}

export const storyBudget: NamedTask<StoryBudgetSettings> = {
  schema: z.strictObject({
    name: z.literal("story-budget"),
    budgets: z.array(z.int().min(1)).min(1).exactOptional(),
    unseenBudgets: z.array(z.int().min(1)).min(1).exactOptional(),
    form: z.enum(budgetFormNames).exactOptional(),
    replyTokens: z.int().min(1).exactOptional(),
  }),
  title: () => "story-budget",
  about: () =>
    "The writer's prompt says how many tokens it may take, another number each time. The grade is 1 at exactly that many and falls to 0 at none and at twice as many.",
  world: () => null,
  hasFrozenAgents: () => false,
  open: async (settings, resources) => storyBudgetTask({ ...settings, ...(await storyResources(resources)) }),
};
