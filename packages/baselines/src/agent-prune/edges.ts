import { randomFromSeed, type Random } from "@laconic/core";

export type SpatialStart = "complete" | "layered" | "random";

/** Allowed edges: `mask[from][to]`. */
export type Mask = readonly (readonly boolean[])[];

/** Edge parameters: `logits[from][to]`. */
export type Logits = readonly (readonly number[])[];

/** Values for edges within a round (spatial) and to the next round (temporal). */
interface Both<T> {
  readonly spatial: T;
  readonly temporal: T;
}

/** Edges of a graph. */
export type EdgeSet = Both<Mask>;

const kinds = ["spatial", "temporal"] as const;

export function square<T>(n: number, cell: (from: number, to: number) => T): T[][] {
  return Array.from({ length: n }, (_, from) => Array.from({ length: n }, (__, to) => cell(from, to)));
}

/** Candidate edges. Spatial ones exclude self-edges; temporal ones are complete, self-edges included. */
export function candidates(n: number, start: SpatialStart, seed: string | number = 0): EdgeSet {
  const random = randomFromSeed(`agentprune/${start}/${seed}`);
  const first = start === "layered" ? new Set(random.shuffle([...Array(n).keys()]).slice(0, Math.ceil(n / 2))) : null;
  const spatial = square(n, (from, to) => {
    if (first) return first.has(from) && !first.has(to);
    return from !== to && (start === "complete" || random.uniform() < 0.5);
  });
  return { spatial, temporal: square(n, () => true) };
}

/** A drawn graph, the log-probability of its draws, and d logProb / d logit. */
interface DrawnGraph {
  readonly edges: EdgeSet;
  readonly logProb: number;
  readonly gradient: Both<Logits>;
}

/**
 * Draws each edge from its logit's sigmoid, source by source. Skips spatial edges that would close a cycle, without a
 * draw.
 */
export function drawGraph(mask: EdgeSet, logits: Both<Logits>, random: Random): DrawnGraph {
  const n = mask.spatial.length;
  const edges = { spatial: square(n, () => false), temporal: square(n, () => false) };
  const gradient = { spatial: square(n, () => 0), temporal: square(n, () => 0) };
  let logProb = 0;
  for (const kind of kinds)
    for (const { from, to } of edgesOf(mask[kind])) {
      if (kind === "spatial" && reaches(edges.spatial, to, from)) continue;
      const p = sigmoid(valueOf(logits[kind], from, to));
      const taken = random.uniform() < p;
      edges[kind][from]![to] = taken;
      gradient[kind][from]![to] = (taken ? 1 : 0) - p;
      logProb += Math.log(taken ? p : 1 - p);
    }
  return { edges, logProb, gradient };
}

/** Policy gradient of a logit: mean of `worth` times d logProb / d logit. */
export function policyGradient(
  drawn: readonly DrawnGraph[],
  worth: readonly number[],
  kind: keyof EdgeSet,
): (from: number, to: number) => number {
  return (from, to) =>
    drawn.reduce((sum, { gradient }, i) => sum + worth[i]! * valueOf(gradient[kind], from, to), 0) / drawn.length;
}

/** All candidate edges, without cycles: the graph before learning. */
export function wholeGraph({ spatial, temporal }: EdgeSet): EdgeSet {
  return { spatial: acyclic(spatial, []), temporal };
}

/**
 * Keeps the share of edges with the highest logits, at least one per non-empty kind, without spatial cycles. Ties keep
 * the earlier.
 */
export function pruneGraph(mask: EdgeSet, logits: Both<Logits>, share: number): EdgeSet {
  const top = (kind: keyof EdgeSet): Mask => {
    const edges = byLogit(mask[kind], logits[kind]);
    const retained = new Set(
      edges.slice(0, Math.max(1, Math.round(edges.length * share))).map(({ from, to }) => `${from}-${to}`),
    );
    return square(mask[kind].length, (from, to) => retained.has(`${from}-${to}`));
  };
  return { spatial: acyclic(top("spatial"), logits.spatial), temporal: top("temporal") };
}

function acyclic(mask: Mask, order: Logits): Mask {
  const retained = square(mask.length, () => false);
  for (const { from, to } of byLogit(mask, order)) if (!reaches(retained, to, from)) retained[from]![to] = true;
  return retained;
}

/** Edges by falling logit; ties keep their order. */
function byLogit(mask: Mask, logits: Logits): { from: number; to: number }[] {
  return edgesOf(mask).toSorted((a, b) => valueOf(logits, b.from, b.to) - valueOf(logits, a.from, a.to));
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

export function valueOf(logits: Logits, from: number, to: number): number {
  return logits[from]?.[to] ?? 0;
}

export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
