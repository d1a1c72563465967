import type { BaselineOptions, Script } from "@laconic/baselines";
import type { AgentId, Topology } from "@laconic/core";
import { type AgentSpec, type Graph, graphTopology, type PromptTemplate, withBudget } from "@laconic/topologies";

/** Topology with trained agents. */
export interface TextTeam {
  readonly topology: Topology;
  readonly trained: readonly AgentId[];
  /** Empty if every agent sees all. */
  readonly holders: readonly AgentId[];
  /** For drawings. */
  readonly graph?: Graph;
  /** Default 0. */
  readonly temperatures?: Readonly<Record<AgentId, number>>;
}

export interface TeamSizes {
  /** Holders, debaters, or agents of a layer or graph. Default 3. */
  readonly agents?: number;
  /** Rounds of a debate or graph with the first answers; layers of a layered team. Default 2. */
  readonly rounds?: number;
  /** Trained agents. Default 768, as in AgentPO. */
  readonly replyTokens?: number;
  /** Frozen agents, and a star's or chain's solver. Default 2048, as in AgentPO. */
  readonly actorTokens?: number;
  /** Random graph. Default 0. */
  readonly graphSeed?: string | number;
  /** Probability of each edge of a random graph. Default 0.5. */
  readonly density?: number;
  /** Shows the budget and its rest. Default false. */
  readonly showBudget?: boolean;
}

type Sized = "agents" | "rounds" | "replyTokens" | "actorTokens";

/** Options of a team. */
export interface TextTeamOptions extends Omit<TeamSizes, Sized>, Required<Pick<TeamSizes, Sized>> {
  readonly answerForm: string;
  /** Null if the reply has no answer. */
  readonly read: (reply: string) => string | null;
  /** Used by votes of published methods. Default: equal texts. */
  readonly same?: (a: string, b: string) => boolean;
  /** Used by published methods. Default `text`. */
  readonly family?: BaselineOptions["family"];
  readonly benchmark?: string;
  /** Published texts by method. Default: our prompts. */
  readonly scripts?: Readonly<Record<string, Script>>;
}

/** A bare topology or graph trains all agents. */
export type TextTeamMaker = (options: TextTeamOptions) => TextTeam | Topology | Graph;

/** A named team. */
export interface TeamPreset {
  readonly name: string;
  readonly summary: string;
  /** Options beyond the common ones. */
  readonly heeds: readonly ("agents" | "rounds" | "graphSeed" | "density")[];
  /** Methods of `@laconic/baselines` whose published texts it can use. Absent: none are published. */
  readonly methods?: readonly string[];
  readonly make: (options: TextTeamOptions) => TextTeam;
}

/** Returns a graph as a team. */
export function teamOn(graph: Graph, trained: readonly AgentId[], holders: readonly AgentId[] = []): TextTeam {
  return { topology: graphTopology<AgentId>(graph), trained, holders, graph };
}

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

export function wordingFor(
  method: string,
  { answerForm, scripts = {} }: Pick<TextTeamOptions, "answerForm" | "scripts">,
): Pick<BaselineOptions, "answerForm" | "script"> {
  const script = Object.hasOwn(scripts, method) ? scripts[method] : undefined;
  return { answerForm, ...(script && { script }) };
}
