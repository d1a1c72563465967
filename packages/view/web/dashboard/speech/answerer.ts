import type { AgentId } from "@laconic/core";

interface Edge {
  readonly from: AgentId;
  readonly to: AgentId;
}

/** The agent that others tell and that tells nobody; null where it is not one. */
export function answererOf(speech: {
  readonly agents: readonly AgentId[];
  readonly steps: readonly { readonly edges: readonly Edge[] }[];
}): AgentId | null {
  const edges = speech.steps.flatMap((step) => step.edges);
  const [tellers, told] = [new Set(edges.map(({ from }) => from)), new Set(edges.map(({ to }) => to))];
  const answerers = speech.agents.filter((agent) => told.has(agent) && !tellers.has(agent));
  return answerers.length === 1 ? (answerers[0] ?? null) : null;
}
