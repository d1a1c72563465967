import type { BaselineOptions } from "@laconic/baselines";
import type { AgentId, Topology } from "@laconic/core";
import { type AgentSpec, type Graph, graphTopology, type PromptTemplate, withBudget } from "@laconic/topologies";

/** Topology and trained agents over text. */
export interface TextTeam {
  readonly topology: Topology;
  readonly trained: readonly AgentId[];
  /** Agents that share a problem's statements; empty if every agent sees all. */
  readonly holders: readonly AgentId[];
  /** For drawings. */
  readonly graph?: Graph;
  /** Sampling temperatures of frozen agents. Default 0. */
  readonly temperatures?: Readonly<Record<AgentId, number>>;
}

/** Options of a team. */
export interface TextTeamOptions {
  /** Number of holders, debaters, or agents of a layer or graph. */
  readonly agents: number;
  /** Rounds of a debate or graph, including first answers; layers of a layered team. */
  readonly rounds: number;
  readonly replyTokens: number;
  /** Max reply tokens of frozen agents, and of a star's or chain's solver. */
  readonly actorTokens: number;
  /** Answer instruction of prompts: the benchmark's `answerForm`. */
  readonly answerForm: string;
  /** Extracts an answer for votes; null if the reply has none. */
  readonly read: (reply: string) => string | null;
  /** Compares answers, for votes of published methods. Default: equal texts. */
  readonly same?: (a: string, b: string) => boolean;
  /** Answer kind and benchmark; published methods depend on them. Default `text`. */
  readonly family?: BaselineOptions["family"];
  readonly benchmark?: string;
  /** Seed of a random graph. Default 0. */
  readonly graphSeed?: string | number;
  /** Probability of each edge of a random graph. Default 0.5. */
  readonly density?: number;
  /** Shows the budget and its rest in prompts. */
  readonly showBudget?: boolean;
}

/** Makes a team. A bare topology or graph trains all agents. */
export type TextTeamMaker = (options: TextTeamOptions) => TextTeam | Topology | Graph;

/** A named team. */
export interface TeamPreset {
  readonly name: string;
  /** Message flow and learners, in one line. */
  readonly summary: string;
  /** Options used in addition to the common ones. */
  readonly heeds: readonly ("agents" | "rounds" | "graphSeed" | "density")[];
  readonly make: (options: TextTeamOptions) => TextTeam;
}

/** Returns a graph as a team. */
export function teamOn(graph: Graph, trained: readonly AgentId[], holders: readonly AgentId[] = []): TextTeam {
  return { topology: graphTopology<AgentId>(graph), trained, holders, graph };
}

/** Agent with a template's prompt, and its budget if shown. */
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

export function numbered(role: string, count: number): AgentId[] {
  return Array.from({ length: count }, (_, i) => `${role}-${i + 1}`);
}
