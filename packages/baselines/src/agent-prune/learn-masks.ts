import { randomFromSeed } from "@laconic/core";
import { Matrix, SingularValueDecomposition } from "ml-matrix";
import { drawGraph, type EdgeSet, edgesOf, type Logits, type Mask, policyGradient, zeros } from "./edges.ts";

/** Adam (Kingma and Ba 2015), going up. */
class Adam {
  /** `values[from][to]`. */
  readonly values: number[][];
  readonly #first: number[][];
  readonly #second: number[][];
  readonly #rate: number;
  #steps = 0;

  constructor(n: number, rate: number) {
    const square = (): number[][] => Array.from({ length: n }, () => Array.from({ length: n }, () => 0));
    [this.values, this.#first, this.#second] = [square(), square(), square()];
    this.#rate = rate;
  }

  /** @param gradient - of what is to grow */
  step(gradient: (from: number, to: number) => number): void {
    this.#steps++;
    const [c1, c2] = [1 - 0.9 ** this.#steps, 1 - 0.999 ** this.#steps];
    this.values.forEach((row, i) =>
      row.forEach((value, j) => {
        const g = gradient(i, j);
        const [first, second] = [this.#first[i] as number[], this.#second[i] as number[]];
        first[j] = 0.9 * (first[j] as number) + 0.1 * g;
        second[j] = 0.999 * (second[j] as number) + 0.001 * g * g;
        row[j] = value + (this.#rate * (first[j] / c1)) / (Math.sqrt(second[j] / c2) + 1e-8);
      }),
    );
  }
}

/** What the paper leaves open, and what the released code sets. */
export interface LearnOptions {
  /** Graphs drawn for each calibration question. Default 4. */
  readonly samples?: number;
  /** Passes over the calibration questions. Default 1, as the paper's. */
  readonly passes?: number;
  /** Of Adam. Default 0.1, the released code's. */
  readonly learningRate?: number;
  /** Weight of the nuclear norm of both masks. The paper gives none; 0 is the released code. Default 0.01. */
  readonly rankWeight?: number;
  readonly seed: string | number;
}

/** Of what decides how much is played. */
export const learnDefaults = { samples: 4, passes: 1 } as const;

/** Edge parameters after calibration. */
export interface LearnedMasks {
  readonly spatial: Logits;
  readonly temporal: Logits;
  /** Mean utility of each pass. */
  readonly utilities: readonly number[];
}

/**
 * Learns which edges help, by policy gradient over drawn graphs (AgentPrune, Eq. of its one-shot pruning): utility less the
 * mean of the question's graphs, less the nuclear norm of the masks, which stands for their rank.
 * @param utility - of a graph on one calibration question, 0 to 1; called in order
 */
export async function learnMasks(
  spatial: Mask,
  temporal: Mask,
  questions: number,
  utility: (question: number, edges: EdgeSet) => Promise<number>,
  options: LearnOptions,
): Promise<LearnedMasks> {
  const {
    samples = learnDefaults.samples,
    passes = learnDefaults.passes,
    learningRate = 0.1,
    rankWeight = 0.01,
    seed,
  } = options;
  const n = spatial.length;
  const random = randomFromSeed(`agentprune/learn/${seed}`);
  const parameters = { spatial: new Adam(n, learningRate), temporal: new Adam(n, learningRate) };
  const utilities: number[] = [];
  for (let pass = 0; pass < passes; pass++) {
    let total = 0;
    for (let question = 0; question < questions; question++) {
      const logits = { spatial: parameters.spatial.values, temporal: parameters.temporal.values };
      const drawn = Array.from({ length: samples }, () => drawGraph(spatial, temporal, logits, random));
      const gained = await Promise.all(drawn.map(({ edges }) => utility(question, edges)));
      const mean = gained.reduce((sum, each) => sum + each, 0) / samples;
      total += mean;
      const above = gained.map((each) => each - mean);
      for (const kind of ["spatial", "temporal"] as const) {
        const mask = kind === "spatial" ? spatial : temporal;
        const rank = rankWeight === 0 ? zeros(n) : nuclearGradient(logits[kind], mask);
        const score = policyGradient(drawn, above, kind);
        parameters[kind].step((from, to) => score(from, to) - rankWeight * (rank[from]?.[to] ?? 0));
      }
    }
    utilities.push(total / Math.max(1, questions));
  }
  return { spatial: parameters.spatial.values, temporal: parameters.temporal.values, utilities };
}

/** d ||sigmoid(logits) * mask||_* / d logits: U V^T through the sigmoid. */
export function nuclearGradient(logits: Logits, mask: Mask): Logits {
  const n = logits.length;
  const p = Matrix.zeros(n, n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) if (mask[i]?.[j]) p.set(i, j, 1 / (1 + Math.exp(-(logits[i]?.[j] ?? 0))));
  const svd = new SingularValueDecomposition(p);
  // Directions of singular value 0 have no gradient of their own.
  const sign = Matrix.diag(svd.diagonal.map((value) => (value > 1e-12 ? 1 : 0)));
  const direction = svd.leftSingularVectors.mmul(sign).mmul(svd.rightSingularVectors.transpose());
  return Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (__, j) => (mask[i]?.[j] ? direction.get(i, j) * p.get(i, j) * (1 - p.get(i, j)) : 0)),
  );
}

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

/** Rounds half to even. */
function halfToEven(x: number): number {
  const floor = Math.floor(x);
  return x - floor === 0.5 ? floor + (floor % 2) : Math.round(x);
}
