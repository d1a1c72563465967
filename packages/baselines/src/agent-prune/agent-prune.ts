import { dataError, type Random } from "@laconic/core";
import { z } from "zod";
import { toolBytes } from "../code/run-tests.ts";
import { methodOf } from "../playing/method-of.ts";
import { sizeOf, type Baseline } from "../protocols/baseline.ts";
import { protocolsOf, protocolFor } from "../protocols/protocol-for.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { candidates, drawGraph, edgesOf, pruneGraph, wholeGraph } from "./edges.ts";
import type { EdgeSet, Mask, SpatialStart } from "./edges.ts";
import { graphTeam, type AgentPrunePhase } from "./graph-team.ts";
import { learnByPruning, learnDefaults, learnMasks, releasedBatch } from "./learn-masks.ts";

/** Share of edges kept; the paper states none, the released command drops half. */
const keptShare = 0.5;

/**
 * AgentPrune (paper): agents exchange messages along a graph, whose edges are learned on calibration questions, pruned
 * once and fixed. Unlike the released code, it does not train on test questions (`agentprune/train-on-test`) or keep
 * drawing edges (`agentprune/keep-sampling`).
 */
export function agentPrune(start: SpatialStart): Baseline {
  const letter = start[0]?.toUpperCase() ?? "";
  const name = `agentprune-${letter.toLowerCase()}`;
  // Only the random graph has a published row.
  const protocols = protocolsOf<AgentPrunePhase>("agentprune-r").map((protocol) => ({
    ...protocol,
    id: protocol.id.replace("agentprune-r", name),
    published: letter === "R" ? protocol.published : null,
  }));
  return {
    ...bounded(name, `AgentPrune-${letter}`, protocols, start),
    restore: (options, learned) => {
      const { agents, ...edges } = parsed(fixedSchema, learned);
      return graphTeam(protocolFor(protocols, options), { ...options, agents }, edgeSet(edges, agents));
    },
    calibrate: async (options, { questions, utility, seed }) => {
      const protocol = protocolFor(protocols, options);
      const { agents } = sizeOf(protocol, options);
      const edges = candidates(agents, start);
      const learned = await learnMasks(
        edges,
        questions,
        (question, graph) => utility(question, graphTeam(protocol, options, graph)),
        { seed },
      );
      return { agents, ...pairsOf(pruneGraph(edges, learned, keptShare)), utilities: [...learned.utilities] };
    },
    calibrationPlays: learnDefaults.samples * learnDefaults.passes,
  };
}

const releasedProtocols = protocolsOf<AgentPrunePhase>("agentprune-c:released");

/**
 * AgentPrune (released code): batches of {@link releasedBatch} without baseline or rank term, two prunings of a quarter
 * of the edges, edges drawn per question. It never learns on test questions (`agentprune/train-on-test`), and keeps
 * temporal edges if there is one round (`agentprune/temporal-k1`).
 */
export const agentPruneReleased: Baseline = {
  ...bounded("agentprune-c:released", "AgentPrune-C, released code", releasedProtocols, "complete"),
  restore: (options, learned) => {
    const { agents, spatialLogits, temporalLogits, ...stored } = parsed(drawnSchema, learned);
    const edges = edgeSet(stored, agents);
    const logits = { spatial: spatialLogits, temporal: temporalLogits };
    const draw = (random: Random): EdgeSet => drawGraph(edges, logits, random).edges;
    return graphTeam(protocolFor(releasedProtocols, options), { ...options, agents }, draw);
  },
  calibrate: async (options, { questions, utility, seed }) => {
    const protocol = protocolFor(releasedProtocols, options);
    const { agents, rounds } = sizeOf(protocol, options);
    const { edges, spatial, temporal, utilities } = await learnByPruning(
      candidates(agents, "complete"),
      rounds > 1,
      questions,
      (question, graph) => utility(question, graphTeam(protocol, options, graph)),
      seed,
    );
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
    create: (protocol, options) =>
      graphTeam(protocol, options, wholeGraph(candidates(sizeOf(protocol, options).agents, start))),
    maxCalls: (protocol, size) => {
      const { agents, rounds } = sizeOf(protocol, size);
      return agents * rounds + 1;
    },
    // No cycles within a round; between rounds every agent may read every other; the decision reads all.
    maxCopies: (protocol, size) => {
      const { agents, rounds } = sizeOf(protocol, size);
      const replies = (rounds * agents * (agents - 1)) / 2 + (rounds - 1) * agents ** 2 + agents;
      return { questions: agents * rounds + 1, examples: 0, replies, toolBytes: replies * toolBytes };
    },
  });
}

const pairs = z.array(z.tuple([z.int().min(0), z.int().min(0)]));
type Pairs = z.infer<typeof pairs>;
const fixedSchema = z.object({
  agents: z.int().min(1),
  spatial: pairs,
  temporal: pairs,
  utilities: z.array(z.number()),
});
const square = z.array(z.array(z.number()));
const drawnSchema = fixedSchema.extend({ spatialLogits: square, temporalLogits: square });

function parsed<T>(schema: z.ZodType<T>, learned: unknown): T {
  const { success, data } = schema.safeParse(learned);
  if (success) return data;
  throw dataError("the calibration is not a pruned graph of AgentPrune; calibrate again");
}

function pairsOf({ spatial, temporal }: EdgeSet): { readonly spatial: Pairs; readonly temporal: Pairs } {
  const list = (mask: Mask): Pairs => edgesOf(mask).map(({ from, to }) => [from, to]);
  return { spatial: list(spatial), temporal: list(temporal) };
}

function edgeSet({ spatial, temporal }: { spatial: Pairs; temporal: Pairs }, agents: number): EdgeSet {
  const mask = (edges: Pairs): Mask => {
    const rows = Array.from({ length: agents }, () => Array.from({ length: agents }, () => false));
    for (const [from, to] of edges) if (rows[from] && to < agents) rows[from][to] = true;
    return rows;
  };
  return { spatial: mask(spatial), temporal: mask(temporal) };
}
