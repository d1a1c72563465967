import { LaconicError, randomFromSeed, type AgentId, type Topology } from "@laconic/core";
import { plurality, type AnswerRule } from "../answer-rule.ts";
import { graphTopology } from "../graph-topology.ts";
import type { AgentSpec, Graph } from "../graph.ts";
import { completeGraph } from "./complete.ts";

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
