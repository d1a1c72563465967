import { LaconicError, randomFromSeed, type AgentId, type Topology } from "@laconic/core";
import { answerOf, plurality, type AnswerRule } from "./answer-rule.ts";
import { graphTopology } from "./graph-topology.ts";
import type { AgentSpec, Delivery, Edge, Graph } from "./graph.ts";

/** @throws LaconicError `topology_invalid` */
type Played<GraphOf extends (...args: never[]) => Graph> = (...args: Parameters<GraphOf>) => Topology;

function played<Args extends readonly unknown[]>(graphOf: (...args: Args) => Graph): (...args: Args) => Topology {
  return (...args) => graphTopology<AgentId>(graphOf(...args));
}

/** Single agent with one reply. */
export function solo<A extends AgentId>(agent: AgentSpec<A>, name = "solo"): Topology {
  return graphTopology({ name, agents: [agent], rounds: 1, answer: answerOf(agent.id) });
}

/** Speakers write concurrently; the answerer reads them in declared order. */
export function star<A extends AgentId>(
  speakers: readonly AgentSpec<A>[],
  answerer: AgentSpec<A>,
  name = "star",
): Topology {
  return graphTopology<AgentId>({ ...layeredGraph([speakers, [answerer]]), name });
}

/** Each agent reads its predecessor; the last one answers. */
export function chainGraph(agents: readonly [AgentSpec, ...AgentSpec[]]): Graph {
  return inLine("chain", agents);
}

function inLine(name: string, agents: readonly AgentSpec[]): Graph {
  return {
    name,
    agents,
    rounds: 1,
    spatial: agents.slice(1).map(({ id: to }, i): Edge => ({ from: agents[i]!.id, to })),
    answer: answerOf<AgentId>(agents.at(-1)!.id),
  };
}

/** Plays {@link chainGraph}. */
export const chain: Played<typeof chainGraph> = played(chainGraph);

/** Agents read the whole previous layer; the last layer answers, by plurality. */
export function layeredGraph(layers: readonly (readonly AgentSpec[])[], answer?: AnswerRule): Graph {
  const last = (layers.at(-1) ?? []).map(({ id }) => id);
  const [only] = last;
  return {
    name: "layered",
    agents: layers.flat(),
    rounds: 1,
    spatial: layers
      .slice(1)
      .flatMap((layer, i) => (layers[i] ?? []).flatMap(({ id: from }) => layer.map(({ id: to }) => ({ from, to })))),
    answer: answer ?? (last.length === 1 && only !== undefined ? answerOf<AgentId>(only) : plurality(last)),
  };
}

/** Plays {@link layeredGraph}. */
export const layered: Played<typeof layeredGraph> = played(layeredGraph);

/** The collaborator writes a hint, the actor answers (AgentPO: q -> h -> y). */
export function hintActorGraph(collaborator: AgentSpec, actor: AgentSpec): Graph {
  return inLine("hint-actor", [collaborator, actor]);
}

/** Plays {@link hintActorGraph}. */
export const hintActor: Played<typeof hintActorGraph> = played(hintActorGraph);

/** The actor drafts, the critic comments, the actor answers again (AgentPO: q -> y_init -> c -> y_ref). */
export function criticActorGraph(actor: AgentSpec, critic: AgentSpec): Graph {
  return {
    name: "critic-actor",
    agents: [
      { ...actor, rounds: [0, 1] },
      { ...critic, rounds: [0] },
    ],
    rounds: 2,
    spatial: [{ from: actor.id, to: critic.id }],
    temporal: [
      { from: actor.id, to: actor.id },
      { from: critic.id, to: actor.id },
    ],
    answer: answerOf<AgentId>(actor.id),
  };
}

/** Plays {@link criticActorGraph}. */
export const criticActor: Played<typeof criticActorGraph> = played(criticActorGraph);

/** A router names an expert role, the expert answers in it (ADAS's role assignment). */
export function roleAssignmentGraph(router: AgentSpec, expert: AgentSpec): Graph {
  return inLine("role-assignment", [router, expert]);
}

/** Plays {@link roleAssignmentGraph}. */
export const roleAssignment: Played<typeof roleAssignmentGraph> = played(roleAssignmentGraph);

/** Agents read earlier agents of this round and all others of the previous round. */
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

/** Plays {@link completeGraph}. */
export const complete: Played<typeof completeGraph> = played(completeGraph);

/** Options of a random graph. */
export interface RandomGraphOptions {
  readonly seed: string | number;
  /** Default 0.5. */
  readonly density?: number;
  readonly rounds?: number;
  readonly answer?: AnswerRule;
}

/** Complete graph with random edges by seed. */
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

/** Plays {@link randomGraph}. */
export const random: Played<typeof randomGraph> = played(randomGraph);

/** Options of a debate. */
export interface DebateOptions {
  /** Includes first answers. Default 2, as in Du et al. (2023). */
  readonly rounds?: number;
  /** Default `last`: complete messages of the previous round. */
  readonly delivery?: Delivery;
  /** Default: plurality. */
  readonly answer?: AnswerRule;
}

/**
 * All answer concurrently, then read all messages of the previous round, their own included, and answer again (Du et
 * al., "Improving Factuality and Reasoning through Multiagent Debate").
 */
export function debateGraph(agents: readonly AgentSpec[], { rounds = 2, delivery, answer }: DebateOptions = {}): Graph {
  const ids = agents.map(({ id }) => id);
  const everybody = ids.flatMap((to) =>
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

/** Plays {@link debateGraph}. */
export const debate: Played<typeof debateGraph> = played(debateGraph);
