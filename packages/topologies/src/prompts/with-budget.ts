import { LaconicError, type Prompt } from "@laconic/core";
import type { BudgetView } from "../view.ts";
import type { PromptTemplate } from "./template.ts";

function budgetSentence({ targetTokens, spentTokens, leftTokens }: BudgetView): string {
  const tokens = Math.round(targetTokens);
  const left = Math.floor(leftTokens);
  const state = spentTokens === 0 ? "none is written yet" : `${spentTokens} are written, ${left} are left`;
  return `The whole team has a budget of ${tokens} tokens; ${state}.`;
}

/**
 * Adds the budget at the end of a chat, which keeps prefixes, or at the start of a text.
 * @throws LaconicError `topology_invalid` in `render`, for token prompts
 */
export function withBudget(
  template: PromptTemplate,
  sentence: (budget: BudgetView) => string = budgetSentence,
): PromptTemplate {
  return {
    id: `${template.id}+budget@1`,
    render: (view) => {
      const prompt = template.render(view);
      return view.budget ? withSentence(prompt, sentence(view.budget), template.id) : prompt;
    },
  };
}

function withSentence(prompt: Prompt, sentence: string, id: string): Prompt {
  switch (prompt.kind) {
    case "messages": {
      const last = prompt.messages.at(-1);
      if (last?.role !== "user")
        return { ...prompt, messages: [...prompt.messages, { role: "user", content: sentence }] };
      const content = `${last.content}\n\n${sentence}`;
      return { ...prompt, messages: [...prompt.messages.slice(0, -1), { ...last, content }] };
    }
    case "text":
      return { ...prompt, text: `${sentence}\n\n${prompt.text}` };
    case "tokens":
      throw new LaconicError(
        "topology_invalid",
        `withBudget: the template ${id} gives token ids; read view.budget in it instead`,
        { template: id },
      );
  }
}
