import { randomFromSeed, type Random } from "@laconic/core";

/** How the agents may hear each other within a round at first: all, in two layers, at random. */
export type SpatialStart = "complete" | "layered" | "random";

/** Which edges there may be: `mask[from][to]`. */
export type Mask = readonly (readonly boolean[])[];

/** Edge parameters, logits: `logits[from][to]`. */
export type Logits = readonly (readonly number[])[];

/** Edges of one graph. */
export interface EdgeSet {
  readonly spatial: Mask;
  readonly temporal: Mask;
}

function square<T>(n: number, of: (from: number, to: number) => T): T[][] {
  return Array.from({ length: n }, (_, from) => Array.from({ length: n }, (__, to) => of(from, to)));
}

/** Candidate edges within a round. No agent hears itself. */
export function spatialMask(n: number, start: SpatialStart, seed: string | number): Mask {
  const random = randomFromSeed(`agentprune/${start}/${seed}`);
  if (start === "complete") return square(n, (from, to) => from !== to);
  if (start === "random") return square(n, (from, to) => from !== to && random.uniform() < 0.5);
  const first = new Set(random.shuffle(Array.from({ length: n }, (_, i) => i)).slice(0, Math.ceil(n / 2)));
  return square(n, (from, to) => first.has(from) && !first.has(to));
}

/** Candidate edges to the next round: always all, memory included. */
export function temporalMask(n: number): Mask {
  return square(n, () => true);
}

export function zeros(n: number): Logits {
  return square(n, () => 0);
}

/** A graph that was drawn, and the log-probability of the draws that were made. */
export interface DrawnGraph {
  readonly edges: EdgeSet;
  readonly logProb: number;
  /** d logProb / d logit. */
  readonly gradient: { readonly spatial: Logits; readonly temporal: Logits };
}

/**
 * Draws a graph edge by edge, source by source. A spatial edge that would close a cycle is left out without a draw; the
 * others are one Bernoulli draw of the logit's sigmoid each. Temporal edges need no such check.
 */
export function drawGraph(
  spatial: Mask,
  temporal: Mask,
  logits: { readonly spatial: Logits; readonly temporal: Logits },
  random: Random,
): DrawnGraph {
  const n = spatial.length;
  const chosen = { spatial: square(n, () => false), temporal: square(n, () => false) };
  const gradient = { spatial: square(n, () => 0), temporal: square(n, () => 0) };
  let logProb = 0;
  const draw = (kind: "spatial" | "temporal", from: number, to: number): void => {
    const p = sigmoid(at(logits[kind], from, to));
    const taken = random.uniform() < p;
    (chosen[kind][from] as boolean[])[to] = taken;
    (gradient[kind][from] as number[])[to] = (taken ? 1 : 0) - p;
    logProb += Math.log(taken ? p : 1 - p);
  };
  for (let from = 0; from < n; from++)
    for (let to = 0; to < n; to++)
      if (spatial[from]?.[to] && !reaches(chosen.spatial, to, from)) draw("spatial", from, to);
  for (let from = 0; from < n; from++)
    for (let to = 0; to < n; to++) if (temporal[from]?.[to]) draw("temporal", from, to);
  return { edges: chosen, logProb, gradient };
}

/** Policy gradient of one edge's logit: the mean over the drawn graphs of what each is worth times d logProb / d logit. */
export function policyGradient(
  drawn: readonly DrawnGraph[],
  worth: readonly number[],
  kind: "spatial" | "temporal",
): (from: number, to: number) => number {
  return (from, to) =>
    drawn.reduce((sum, { gradient }, i) => sum + (worth[i] as number) * at(gradient[kind], from, to), 0) / drawn.length;
}

/** Every candidate edge, without those that would close a cycle: what a graph is when nothing is learned. */
export function wholeGraph(spatial: Mask, temporal: Mask): EdgeSet {
  return keepAcyclic(spatial, temporal, zeros(spatial.length));
}

/**
 * Keeps the share of edges with the highest logits, at least one of each kind that has any; of equal ones the earlier. Of the
 * spatial ones that are kept, the higher go first, and one that would close a cycle is left out.
 */
export function pruneGraph(
  spatial: Mask,
  temporal: Mask,
  logits: { readonly spatial: Logits; readonly temporal: Logits },
  share: number,
): EdgeSet {
  return keepAcyclic(
    topEdges(spatial, logits.spatial, share),
    topEdges(temporal, logits.temporal, share),
    logits.spatial,
  );
}

function topEdges(mask: Mask, logits: Logits, share: number): Mask {
  const edges = edgesOf(mask).toSorted((a, b) => at(logits, b.from, b.to) - at(logits, a.from, a.to));
  const kept = edges.slice(0, edges.length === 0 ? 0 : Math.max(1, Math.round(edges.length * share)));
  const names = new Set(kept.map(({ from, to }) => `${from}-${to}`));
  return square(mask.length, (from, to) => names.has(`${from}-${to}`));
}

function keepAcyclic(spatial: Mask, temporal: Mask, order: Logits): EdgeSet {
  const kept = square(spatial.length, () => false);
  for (const { from, to } of edgesOf(spatial).toSorted((a, b) => at(order, b.from, b.to) - at(order, a.from, a.to)))
    if (!reaches(kept, to, from)) (kept[from] as boolean[])[to] = true;
  return { spatial: kept, temporal };
}

export function edgesOf(mask: Mask): { from: number; to: number }[] {
  return mask.flatMap((row, from) => row.flatMap((on, to) => (on ? [{ from, to }] : [])));
}

function reaches(edges: Mask, from: number, to: number): boolean {
  const seen = new Set<number>();
  const visit = (node: number): boolean => {
    if (node === to) return true;
    if (seen.has(node)) return false;
    seen.add(node);
    return (edges[node] ?? []).some((on, next) => on && visit(next));
  };
  return visit(from);
}

function at(logits: Logits, from: number, to: number): number {
  return logits[from]?.[to] ?? 0;
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
