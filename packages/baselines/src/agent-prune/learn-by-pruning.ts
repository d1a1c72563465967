import { randomFromSeed } from "@laconic/core";
import { Adam } from "./adam.ts";
import { drawGraph, edgesOf, policyGradient, zeros, type EdgeSet, type Logits, type Mask } from "./edges.ts";

/** Graphs, one a question, between two updates. */
export const releasedBatch = 4;

/** Updates between two prunings, and the share of edges that each drops. */
const [pruneEvery, dropped] = [5, 0.25] as const;

/** What is left after pruning, and the parameters of what is left. */
export interface PrunedMasks {
  readonly edges: EdgeSet;
  readonly spatial: Logits;
  readonly temporal: Logits;
  /** Mean utility of each batch. */
  readonly utilities: readonly number[];
}

/**
 * Learns as the released code does: as many updates as there are questions, each of a batch of graphs, one a question; the loss is
 * the mean of -log p x utility, without baseline or rank; after every fifth update a quarter of the edges is dropped, those with the
 * lowest logits. Of 20 spatial edges 15 and then 11 are left.
 * @param temporal - there is a second round: without one, temporal edges are neither learned nor pruned
 */
export async function learnByPruning(
  start: EdgeSet,
  temporal: boolean,
  questions: number,
  utility: (question: number, edges: EdgeSet) => Promise<number>,
  seed: string | number,
): Promise<PrunedMasks> {
  const n = start.spatial.length;
  const random = randomFromSeed(`agentprune/released/${seed}`);
  const parameters = { spatial: new Adam(n, 0.1), temporal: new Adam(n, 0.1) };
  let edges = start;
  const utilities: number[] = [];
  for (let update = 0; update < questions; update++) {
    const logits = { spatial: parameters.spatial.values, temporal: parameters.temporal.values };
    const drawn = Array.from({ length: releasedBatch }, () => drawGraph(edges.spatial, edges.temporal, logits, random));
    const gained = await Promise.all(
      drawn.map((graph, i) => utility((update * releasedBatch + i) % questions, graph.edges)),
    );
    utilities.push(gained.reduce((sum, each) => sum + each, 0) / releasedBatch);
    parameters.spatial.step(policyGradient(drawn, gained, "spatial"));
    if (temporal) parameters.temporal.step(policyGradient(drawn, gained, "temporal"));
    if ((update + 1) % pruneEvery === 0)
      edges = {
        spatial: dropLowest(edges.spatial, parameters.spatial.values),
        temporal: temporal ? dropLowest(edges.temporal, parameters.temporal.values) : edges.temporal,
      };
  }
  return { edges, spatial: parameters.spatial.values, temporal: parameters.temporal.values, utilities };
}

/** Without the quarter of the edges that have the lowest logits, at least one; of equal ones the earlier go. */
export function dropLowest(mask: Mask, logits: Logits): Mask {
  const edges = edgesOf(mask);
  const count = Math.max(1, halfToEven(edges.length * dropped));
  const lowest = edges
    .toSorted((a, b) => (logits[a.from]?.[a.to] ?? 0) - (logits[b.from]?.[b.to] ?? 0))
    .slice(0, count);
  const kept = zeros(mask.length).map((row, from) => row.map((_, to) => mask[from]?.[to] === true));
  for (const { from, to } of lowest) (kept[from] as boolean[])[to] = false;
  return kept;
}

/** As torch rounds. */
function halfToEven(x: number): number {
  const floor = Math.floor(x);
  return x - floor === 0.5 ? floor + (floor % 2) : Math.round(x);
}
