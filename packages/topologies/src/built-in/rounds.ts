import { type AgentId, LaconicError, randomFromSeed, type Topology } from "@laconic/core";
import { type AnswerRule, plurality } from "../answer-rule.ts";
import { graphTopology } from "../graph-topology.ts";
import type { AgentSpec, Delivery, Graph } from "../graph.ts";

/** Everybody reads all who were declared before them within a round, and everybody else of the round before. */
export function completeGraph(agents: readonly AgentSpec[], rounds = 1, answer?: AnswerRule): Graph {
  const pairs = agents.flatMap(({ id: from }, i) => agents.map(({ id: to }, j) => ({ from, to, forward: i < j })));
  const edges = (forward: boolean): { from: AgentId; to: AgentId }[] =>
    pairs.filter((pair) => pair.forward === forward && pair.from !== pair.to).map(({ from, to }) => ({ from, to }));
  return {
    name: "complete",
    agents,
    rounds,
    spatial: edges(true),
    ...(rounds > 1 && { temporal: edges(false) }),
    answer: answer ?? plurality<AgentId>(agents.map(({ id }) => id)),
  };
}

/**
 * Plays `completeGraph`.
 * @throws LaconicError `topology_invalid` when the graph cannot run
 */
export function complete(agents: readonly AgentSpec[], rounds?: number, answer?: AnswerRule): Topology {
  return graphTopology<AgentId>(completeGraph(agents, rounds, answer));
}

/** Seed and density of a random graph. */
export interface RandomGraphOptions {
  readonly seed: string | number;
  /** Chance of each edge of the complete graph. Default 0.5. */
  readonly density?: number;
  readonly rounds?: number;
  readonly answer?: AnswerRule;
}

/** The complete graph with edges left out at random: the same seed gives the same graph. */
export function randomGraph(agents: readonly AgentSpec[], options: RandomGraphOptions): Graph {
  const { seed, density = 0.5, rounds = 1, answer = plurality<AgentId>(agents.map(({ id }) => id)) } = options;
  if (!(density >= 0 && density <= 1))
    throw new LaconicError("topology_invalid", `density is ${density}, expected 0 to 1`, { density });
  const whole = completeGraph(agents, rounds, answer);
  const stream = randomFromSeed(seed);
  const spatial = whole.spatial?.filter(() => stream.uniform() < density) ?? [];
  const temporal = whole.temporal?.filter(() => stream.uniform() < density) ?? [];
  return { ...whole, name: "random", spatial, temporal };
}

/**
 * Plays `randomGraph`: each edge of the complete graph with the same chance, drawn once from the seed.
 * @throws LaconicError `topology_invalid` when the graph cannot run
 */
export function random(agents: readonly AgentSpec[], options: RandomGraphOptions): Topology {
  return graphTopology<AgentId>(randomGraph(agents, options));
}

/** Rounds of a debate, what is read in it, and how its answer comes about. */
export interface DebateOptions {
  /** Rounds in all, the first answers included. Default 2, as in Du et al. (2023). */
  readonly rounds?: number;
  /** What of the others is read. Default `last`: their complete message of the round before. */
  readonly delivery?: Delivery;
  /** Default: plurality of the last words. */
  readonly answer?: AnswerRule;
}

/**
 * All answer at once; then, in each round, everybody reads what the others and they themselves said in the round before,
 * and answers again (Du et al., "Improving Factuality and Reasoning through Multiagent Debate").
 */
export function debateGraph(agents: readonly AgentSpec[], { rounds = 2, delivery, answer }: DebateOptions = {}): Graph {
  const ids = agents.map(({ id }) => id);
  const everybody = ids.flatMap((to) =>
    // Its own words first, then the others' in declared order.
    [to, ...ids.filter((id) => id !== to)].map((from) => ({ from, to, ...(delivery && { delivery }) })),
  );
  return {
    name: "debate",
    agents,
    rounds,
    ...(rounds > 1 && { temporal: everybody }),
    answer: answer ?? plurality<AgentId>(ids),
  };
}

/**
 * Plays `debateGraph`.
 * @throws LaconicError `topology_invalid` when the graph cannot run
 */
export function debate(agents: readonly AgentSpec[], options?: DebateOptions): Topology {
  return graphTopology<AgentId>(debateGraph(agents, options));
}
