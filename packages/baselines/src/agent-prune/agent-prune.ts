import { LaconicError, randomFromSeed } from "@laconic/core";
import { z } from "zod";
import { sizeOf, type Baseline, type BaselineOptions, type Calibration } from "../protocols/baseline.ts";
import { toolBytes } from "../code/run-tests.ts";
import { methodOf } from "../playing/method-of.ts";
import { protocolsOf, protocolFor } from "../protocols/protocol-for.ts";
import type { Protocol } from "../protocols/protocol.ts";
import {
  drawGraph,
  edgesOf,
  pruneGraph,
  spatialMask,
  temporalMask,
  wholeGraph,
  type EdgeSet,
  type SpatialStart,
} from "./edges.ts";
import { graphTeam, type AgentPrunePhase } from "./graph-team.ts";
import { learnByPruning, learnDefaults, learnMasks, releasedBatch } from "./learn-masks.ts";

/** Share of edges that stay; the paper's p is not given, the released one-shot command drops half. */
const keptShare = 0.5;

/** What there is at first: candidate edges within a round, and to the next. */
function startOf(start: SpatialStart, agents: number): EdgeSet {
  return { spatial: spatialMask(agents, start, 0), temporal: temporalMask(agents) };
}

/**
 * AgentPrune by its paper: five agents, everybody heard along a graph; the graph's edges are learned on calibration questions,
 * pruned once, and fixed. Without calibration it is the unpruned team. The released code trains on test questions and
 * goes on drawing edges (`agentprune/train-on-test`, `agentprune/keep-sampling`); here neither happens.
 */
export function agentPrune(start: SpatialStart): Baseline {
  const letter = start[0]?.toUpperCase() ?? "";
  // Only the random graph's row is among the published figures.
  const protocols = protocolsOf<AgentPrunePhase>("agentprune-r").map((protocol) => ({
    ...protocol,
    id: protocol.id.replace("agentprune-r", `agentprune-${letter.toLowerCase()}`),
    published: letter === "R" ? protocol.published : null,
  }));
  return {
    ...bounded(`agentprune-${letter.toLowerCase()}`, `AgentPrune-${letter}`, protocols, start),
    restore: (options, learned) => graphTeam(protocolFor(protocols, options), ...fixedGraph(options, learned)),
    calibrate: (options, calibration) => calibrate(protocolFor(protocols, options), options, calibration, start),
    calibrationPlays: learnDefaults.samples * learnDefaults.passes,
  };
}

const releasedProtocols = protocolsOf<AgentPrunePhase>("agentprune-c:released");

/**
 * AgentPrune as its code was released, from a complete graph: fewer agents and rounds, batches of {@link releasedBatch} without a
 * baseline or a rank term, a quarter of the edges dropped twice, and edges that go on being drawn for each question. It learns on
 * questions that are not the test's (`agentprune/train-on-test` is not offered), and with one round prunes no temporal edge
 * (`agentprune/temporal-k1`).
 */
export const agentPruneReleased: Baseline = {
  ...bounded("agentprune-c:released", "AgentPrune-C, released code", releasedProtocols, "complete"),
  restore: (options, learned) => {
    const { agents, spatial, temporal, spatialLogits, temporalLogits } = parsed(drawnSchema, learned);
    const edges = { spatial: maskOf(spatial, agents), temporal: maskOf(temporal, agents) };
    const logits = { spatial: spatialLogits, temporal: temporalLogits };
    return graphTeam(protocolFor(releasedProtocols, options), { ...options, agents }, ({ id, question }) => {
      const random = randomFromSeed(`agentprune/draw/${id}/${question}`);
      return () => drawGraph(edges.spatial, edges.temporal, logits, random).edges;
    });
  },
  calibrate: async (options, { questions, utility, seed }) => {
    const protocol = protocolFor(releasedProtocols, options);
    const { agents, rounds } = sizeOf(protocol, options);
    const start = startOf("complete", agents);
    const learned = await learnByPruning(
      start,
      rounds > 1,
      questions,
      (question, edges) => utility(question, graphTeam(protocol, options, edges)),
      seed,
    );
    const { edges, spatial, temporal, utilities } = learned;
    return { agents, ...pairsOf(edges), spatialLogits: spatial, temporalLogits: temporal, utilities };
  },
  calibrationPlays: releasedBatch,
};

function bounded(
  name: string,
  title: string,
  protocols: readonly Protocol<AgentPrunePhase>[],
  start: SpatialStart,
): Baseline {
  return methodOf({
    name,
    title,
    protocols,
    create: (protocol, options) => {
      const { spatial, temporal } = startOf(start, sizeOf(protocol, options).agents);
      return graphTeam(protocol, options, wholeGraph(spatial, temporal));
    },
    maxCalls: (protocol, size) => {
      const { agents, rounds } = sizeOf(protocol, size);
      return agents * rounds + 1;
    },
    // Within a round a graph has no cycle; between rounds everybody may hear everybody; the decision hears all.
    maxCopies: (protocol, size) => {
      const { agents, rounds } = sizeOf(protocol, size);
      const replies = (rounds * agents * (agents - 1)) / 2 + (rounds - 1) * agents ** 2 + agents;
      return { questions: agents * rounds + 1, examples: 0, replies, toolBytes: replies * toolBytes };
    },
  });
}

const pairs = z.array(z.tuple([z.int().min(0), z.int().min(0)]));
const shape = { agents: z.int().min(1), spatial: pairs, temporal: pairs, utilities: z.array(z.number()) };

/** What calibration leaves: the edges that stayed, by number of the agents. */
const fixedSchema = z.object(shape);

/** And of a graph that goes on being drawn, its parameters. */
const square = z.array(z.array(z.number()));
const drawnSchema = z.object({ ...shape, spatialLogits: square, temporalLogits: square });

async function calibrate(
  protocol: Protocol<AgentPrunePhase>,
  options: BaselineOptions,
  { questions, utility, seed }: Calibration,
  start: SpatialStart,
): Promise<z.infer<typeof fixedSchema>> {
  const { agents } = sizeOf(protocol, options);
  const { spatial, temporal } = startOf(start, agents);
  const play = (question: number, edges: EdgeSet): Promise<number> =>
    utility(question, graphTeam(protocol, options, edges));
  const learned = await learnMasks(spatial, temporal, questions, play, { seed });
  const edges = pruneGraph(spatial, temporal, learned, keptShare);
  return { agents, ...pairsOf(edges), utilities: [...learned.utilities] };
}

function pairsOf({ spatial, temporal }: EdgeSet): { spatial: [number, number][]; temporal: [number, number][] } {
  const of = (mask: EdgeSet["spatial"]): [number, number][] => edgesOf(mask).map(({ from, to }) => [from, to]);
  return { spatial: of(spatial), temporal: of(temporal) };
}

function fixedGraph(options: BaselineOptions, learned: unknown): [BaselineOptions, EdgeSet] {
  const { agents, spatial, temporal } = parsed(fixedSchema, learned);
  return [
    { ...options, agents },
    { spatial: maskOf(spatial, agents), temporal: maskOf(temporal, agents) },
  ];
}

function parsed<T>(schema: z.ZodType<T>, learned: unknown): T {
  const { success, data } = schema.safeParse(learned);
  if (success) return data;
  throw new LaconicError("data_invalid", "what was learned is no pruned graph of AgentPrune; calibrate again");
}

function maskOf(edges: readonly (readonly [number, number])[], agents: number): boolean[][] {
  const rows = Array.from({ length: agents }, () => Array.from({ length: agents }, () => false));
  for (const [from, to] of edges) if (rows[from] && to < agents) rows[from][to] = true;
  return rows;
}
