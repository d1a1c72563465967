import type { BaselineOptions } from "@laconic/baselines";
import type { AgentId, Topology } from "@laconic/core";
import { type AgentSpec, type Graph, graphTopology, type PromptTemplate, withBudget } from "@laconic/topologies";

/** A team over text: who speaks when, and who learns. */
export interface TextTeam {
  readonly topology: Topology;
  readonly trained: readonly AgentId[];
  /** Agents among whom what a problem states is dealt; nobody where everybody sees all. */
  readonly holders: readonly AgentId[];
  /** What it is drawn from, where everybody speaks in rounds. */
  readonly graph?: Graph;
  /** Of those who do not learn, where it is not 0. */
  readonly temperatures?: Readonly<Record<AgentId, number>>;
}

/** What a team is made for. */
export interface TextTeamOptions {
  /** Holders of a star or chain, debaters, agents of a layer or graph. */
  readonly agents: number;
  /** Of a debate or graph, the first answers included; layers of a layered team. */
  readonly rounds: number;
  /** Most tokens of a reply of those who learn. */
  readonly replyTokens: number;
  /** Most tokens of a reply of those who do not, and of a star's or chain's solver. */
  readonly actorTokens: number;
  /** How an answer has to be written: the benchmark's, `answerForm`. */
  readonly answerForm: string;
  /** The answer that a reply gives, for votes; null when it gives none. */
  readonly read: (reply: string) => string | null;
  /** Whether two answers are the same, for votes of published methods. Default: to the letter. */
  readonly same?: (a: string, b: string) => boolean;
  /** What the questions ask for, and the benchmark they are of: published methods differ by them. Default `text`. */
  readonly family?: BaselineOptions["family"];
  readonly benchmark?: string;
  /** Which random graph it is: the same seed gives the same. Default 0. */
  readonly graphSeed?: string | number;
  /** Chance of each edge of a random graph. Default 0.5. */
  readonly density?: number;
  /** Tells every agent the budget and what is left of it, where an episode has one. */
  readonly showBudget?: boolean;
}

/** What makes a team: one of those that have a name, or anybody's own function. A bare topology or graph learns as a whole. */
export type TextTeamMaker = (options: TextTeamOptions) => TextTeam | Topology | Graph;

/** A team that has a name. */
export interface TeamPreset {
  readonly name: string;
  /** Who says what to whom, and who learns: a line for lists. */
  readonly summary: string;
  /** The options that it heeds beside those that all do. */
  readonly heeds: readonly ("agents" | "rounds" | "graphSeed" | "density")[];
  readonly make: (options: TextTeamOptions) => TextTeam;
}

/** A graph as a team. */
export function teamOn(graph: Graph, trained: readonly AgentId[], holders: readonly AgentId[] = []): TextTeam {
  return { topology: graphTopology<AgentId>(graph), trained, holders, graph };
}

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
