import type { AgentId } from "@laconic/core";
import { withBudget, type AgentSpec, type PromptTemplate } from "@laconic/topologies";
import type { TextTeamOptions } from "./text-team.ts";

/** An agent that is asked by a template, and told the budget where the team is. */
export function slot(
  { showBudget = false }: Pick<TextTeamOptions, "showBudget">,
  id: AgentId,
  template: PromptTemplate,
  maxTokens: number,
  rounds?: readonly number[],
): AgentSpec {
  const { render } = showBudget ? withBudget(template) : template;
  return { id, role: template.id, prompt: render, maxTokens, ...(rounds && { rounds }) };
}

/** `holder-1`, `holder-2`, ... */
export function numbered(role: string, count: number): AgentId[] {
  return Array.from({ length: count }, (_, i) => `${role}-${i + 1}`);
}
