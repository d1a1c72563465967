import type { AgentId } from "@laconic/core";
import type { AgentSpec, PromptTemplate } from "@laconic/topologies";
import type { BaselineOptions } from "../protocols/baseline.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import type { Phase } from "../protocols/protocol.ts";

/** An agent of a graph that is asked by a template, at the settings of one kind of call. */
export function agentForPhase(
  id: AgentId,
  { id: role, render }: PromptTemplate,
  phase: Phase,
  options: BaselineOptions,
): AgentSpec {
  return { id, role, prompt: render, maxTokens: phaseSettings(phase, options).maxTokens };
}
