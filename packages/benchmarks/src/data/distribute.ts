import { LaconicError, randomFromSeed, type AgentId, type Problem } from "@laconic/core";
import { passagesOf } from "./facts.ts";

/** A stretch of a question. Stretches in their order are the question, to the character. */
export interface Shard {
  readonly text: string;
  /** Who sees it; null for everybody. */
  readonly agent: AgentId | null;
}

/** A problem whose facts are dealt among agents, and who got which. */
export interface DistributedProblem<P extends Problem> {
  /** The problem whose `question` everybody sees and whose `views` hold each agent's facts. */
  readonly problem: P & { readonly views: Readonly<Record<AgentId, string>> };
  readonly shards: readonly Shard[];
}

/**
 * Splits what a problem states over agents: nobody sees another's facts, everybody what is asked, and options, which are a
 * field of their own or listed at the end of the question. Facts are clauses (`passagesOf`), dealt as evenly as their
 * number allows, to agents in an order drawn by seed and problem id: no agent has them all.
 *
 * An agent that gets no fact has no view. The texts of the shards, joined, are the original.
 * @returns null for a problem that states fewer than two facts: nothing can be distributed
 * @throws LaconicError `input_invalid` for fewer than two agents, or one named twice
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

/** What stood together stays together as it was; a gap is a space. */
function seenBy(agent: AgentId | null, shards: readonly Shard[]): string {
  const seen = shards.map((shard) => (shard.agent === agent ? shard.text : null));
  return seen
    .map((text, i) => (text !== null && seen[i + 1] === null ? `${text.trimEnd()} ` : (text ?? "")))
    .join("")
    .trim();
}
