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
 * Adds the budget and its rest to a template, if the episode has a budget. The sentence ends the last message of a chat, so that
 * prompts keep their prefix, and begins a text. Spending of others is information that travels along no edge.
 * @throws LaconicError when it renders, `topology_invalid` for a prompt of token ids
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
