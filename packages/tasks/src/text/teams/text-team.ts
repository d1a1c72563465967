import type { BaselineOptions } from "@laconic/baselines";
import type { AgentId, Topology } from "@laconic/core";
import { type AgentSpec, type Graph, graphTopology, type PromptTemplate, withBudget } from "@laconic/topologies";

/** A team over text: who speaks when, and which agents learn. */
export interface TextTeam {
  readonly topology: Topology;
  readonly trained: readonly AgentId[];
  /** Agents among which a problem's statements are dealt; empty if every agent sees all. */
  readonly holders: readonly AgentId[];
  /** For drawings of teams that speak in rounds. */
  readonly graph?: Graph;
  /** Temperatures other than 0 of agents that do not learn. */
  readonly temperatures?: Readonly<Record<AgentId, number>>;
}

/** Options of a team. */
export interface TextTeamOptions {
  /** Holders of a star or chain, debaters, agents of a layer or graph. */
  readonly agents: number;
  /** Rounds of a debate or graph, the first answers included; layers of a layered team. */
  readonly rounds: number;
  /** Max reply tokens of agents that learn. */
  readonly replyTokens: number;
  /** Max reply tokens of agents that do not learn, and of a star's or chain's solver. */
  readonly actorTokens: number;
  /** How prompts request an answer: the benchmark's `answerForm`. */
  readonly answerForm: string;
  /** The answer in a reply, for votes; null if there is no answer. */
  readonly read: (reply: string) => string | null;
  /** Whether two answers are the same, for votes of published methods. Default: equal texts. */
  readonly same?: (a: string, b: string) => boolean;
  /** The kind of answers, and the benchmark: published methods differ by them. Default `text`. */
  readonly family?: BaselineOptions["family"];
  readonly benchmark?: string;
  /** Seed of a random graph. Default 0. */
  readonly graphSeed?: string | number;
  /** Probability of each edge of a random graph. Default 0.5. */
  readonly density?: number;
  /** Whether prompts state an episode's budget and what is left of it. */
  readonly showBudget?: boolean;
}

/** Makes a team. All agents of a bare topology or graph learn. */
export type TextTeamMaker = (options: TextTeamOptions) => TextTeam | Topology | Graph;

/** A team with a name. */
export interface TeamPreset {
  readonly name: string;
  /** Who says what to whom, and who learns: a line for lists. */
  readonly summary: string;
  /** The options that it uses besides those that all presets use. */
  readonly heeds: readonly ("agents" | "rounds" | "graphSeed" | "density")[];
  readonly make: (options: TextTeamOptions) => TextTeam;
}

/** A graph as a team. */
export function teamOn(graph: Graph, trained: readonly AgentId[], holders: readonly AgentId[] = []): TextTeam {
  return { topology: graphTopology<AgentId>(graph), trained, holders, graph };
}

/** An agent with the prompt of a template, which states the budget if the team's prompts do. */
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
