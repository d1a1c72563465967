import { LaconicError, randomFromSeed, type Random } from "@laconic/core";
import { budgetCeiling, budgetLessons, budgetStories, type BudgetForm } from "@laconic/tasks/stories";
import type { CommandContext } from "../commands/common.ts";
import { goneOn, teach, type Course, type StoryLessons } from "./story-lessons.ts";

/** The lessons that the figures of the world of budgets begin with. */
export const budgetDefaults: Pick<StoryLessons, "steps" | "batch"> = { steps: 160, batch: 32 };

/** Stories that the model goes on with for its lessons. */
const stories = 4000;

/**
 * Teaches a story model to keep to budgets, out of texts of its own, and writes it into a folder. Returns the last loss, nats per token.
 * @param form - how a budget is said; the world's default when absent
 */
export function teachBudgets(
  lessons: StoryLessons,
  terminal: CommandContext["terminal"],
  form?: BudgetForm,
): Promise<number> {
  return teach(keepingBudgets(lessons.seed, form), lessons, terminal);
}

function keepingBudgets(seed: string, form?: BudgetForm): Course {
  const stream = (label: string): Random => randomFromSeed(seed).split(label);
  const said = form === undefined ? {} : { form };
  return {
    task: { name: "story-budget", ...said },
    peakLearningRate: 1e-3,
    random: stream("budgets"),
    prepare: async ({ model, tokenizer, most }) => {
      const asked = budgetStories(Math.min(stories, most), stream("stories"), said);
      const prompts = asked.map(({ prompt }) => prompt);
      const replies = await goneOn(model, prompts, budgetCeiling, stream("words"));
      const told = replies.flatMap(({ completionTokens: tokens, finishReason }, i) => {
        const child = asked[i]?.child;
        return child && finishReason === "stop" ? [{ child, tokens }] : [];
      });
      const draw = budgetLessons(tokenizer, told, said);
      return (size, random) => {
        const drawn = draw(size, random);
        if (drawn.length === 0)
          throw new LaconicError(
            "input_invalid",
            `of ${asked.length} texts of the model none is as long as a budget: there are no lessons`,
          );
        return drawn;
      };
    },
  };
}
