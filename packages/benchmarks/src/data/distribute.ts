import { LaconicError, randomFromSeed, type AgentId, type Problem } from "@laconic/core";
import { passagesOf } from "./facts.ts";

/** Parts of a question join to it. */
export interface Shard {
  readonly text: string;
  /** Null for all. */
  readonly agent: AgentId | null;
}

/** Problem with facts dealt among agents. */
export interface DistributedProblem<P extends Problem> {
  readonly problem: P & { readonly views: Readonly<Record<AgentId, string>> };
  readonly shards: readonly Shard[];
}

/**
 * Splits a problem's facts (clauses of `passagesOf`) among agents, by seed and problem id. All see the question asked
 * and the options.
 * @returns null for fewer than two facts
 * @throws LaconicError `input_invalid` for fewer than two agents
 */
export function distribute<P extends Problem>(
  problem: P,
  agents: readonly AgentId[],
  seed: string | number,
): DistributedProblem<P> | null {
  if (agents.length < 2 || new Set(agents).size < agents.length)
    throw new LaconicError("input_invalid", `agents are ${JSON.stringify(agents)}, expected at least two, each once`);
  const passages = passagesOf(problem.question);
  const facts = passages.filter(({ fact }) => fact).length;
  if (facts < 2) return null;
  const order = randomFromSeed(`distribute:${seed}`).split(problem.id);
  const holders = order.shuffle(agents);
  const dealt = order.shuffle(Array.from({ length: facts }, (_, i) => holders[i % holders.length] as AgentId)).values();
  const shards = passages.map(({ text, fact }): Shard => ({ text, agent: fact ? (dealt.next().value ?? null) : null }));
  const views = Object.fromEntries(
    agents.map((agent) => [agent, seenBy(agent, shards)] as const).filter(([, view]) => view !== ""),
  );
  return { problem: { ...problem, question: seenBy(null, shards), views }, shards };
}

/** A gap becomes a space. */
function seenBy(agent: AgentId | null, shards: readonly Shard[]): string {
  const seen = shards.map((shard) => (shard.agent === agent ? shard.text : null));
  return seen
    .map((text, i) => (text !== null && seen[i + 1] === null ? `${text.trimEnd()} ` : (text ?? "")))
    .join("")
    .trim();
}
