import { LaconicError, randomFromSeed, type Random } from "@laconic/core";
import { budgetExamples, budgetStories } from "../stories/budget-examples.ts";
import type { BudgetForm } from "../stories/budget-forms.ts";
import { budgetCeiling } from "../stories/budget.ts";
import { resumeState, type Course } from "./course.ts";

/** Stories that the model goes on with for its examples. */
const stories = 4000;

/**
 * Examples of keeping to a budget, out of texts of the model's own.
 * @param form - how a budget is said; the world's default when absent
 */
export function keepingBudgets(seed: string, form?: BudgetForm): Course {
  const stream = (label: string): Random => randomFromSeed(seed).split(label);
  const said = form === undefined ? {} : { form };
  return {
    task: { name: "story-budget", ...said },
    peakLearningRate: 1e-3,
    random: stream("budgets"),
    prepare: async ({ model, tokenizer, most }) => {
      const asked = budgetStories(Math.min(stories, most), stream("stories"), said);
      const prompts = asked.map(({ prompt }) => prompt);
      const replies = await resumeState(model, prompts, budgetCeiling, stream("words"));
      const reported = replies.flatMap(({ completionTokens: tokens, finishReason }, i) => {
        const child = asked[i]?.child;
        return child && finishReason === "stop" ? [{ child, tokens }] : [];
      });
      const draw = budgetExamples(tokenizer, reported, said);
      return (size, random) => {
        const drawn = draw(size, random);
        if (drawn.length === 0)
          throw new LaconicError(
            "input_invalid",
            `of ${asked.length} texts of the model none is as long as a budget: there are no examples`,
          );
        return drawn;
      };
    },
  };
}
