import { randomFromSeed } from "@laconic/core";
import { meanOf } from "@laconic/core/numeric";
import { Matrix, SingularValueDecomposition } from "ml-matrix";
import { drawGraph, edgesOf, policyGradient, sigmoid, square, valueOf } from "./edges.ts";
import type { EdgeSet, Logits, Mask } from "./edges.ts";

/** Adam's, as in the released code. */
const learningRate = 0.1;

/** Steps of Adam (Kingma and Ba 2015), which raise `logits`. */
function ascent(logits: number[][]): (gradient: (from: number, to: number) => number) => void {
  const [firsts, seconds] = [logits, logits].map((rows) => square(rows.length, () => 0)) as [number[][], number[][]];
  let steps = 0;
  return (gradient) => {
    steps++;
    const [c1, c2] = [1 - 0.9 ** steps, 1 - 0.999 ** steps];
    logits.forEach((row, i) =>
      row.forEach((value, j) => {
        const g = gradient(i, j);
        const [first, second] = [firsts[i]!, seconds[i]!];
        first[j] = 0.9 * first[j]! + 0.1 * g;
        second[j] = 0.999 * second[j]! + 0.001 * g * g;
        row[j] = value + (learningRate * (first[j] / c1)) / (Math.sqrt(second[j] / c2) + 1e-8);
      }),
    );
  };
}

/** Logits of 0, and their steps. */
function fresh(n: number) {
  const logits = { spatial: square(n, () => 0), temporal: square(n, () => 0) };
  return { logits, raise: { spatial: ascent(logits.spatial), temporal: ascent(logits.temporal) } };
}

/** Settings that the paper leaves open. */
export interface LearnOptions {
  /** Graphs per calibration question. Default 4. */
  readonly samples?: number;
  /** Default 1, as in the paper. */
  readonly passes?: number;
  readonly seed: string | number;
}

export const learnDefaults = { samples: 4, passes: 1 } as const;

/** Weight of the masks' nuclear norm; released code: 0. */
const rankWeight = 0.01;

/** Edge parameters after calibration. */
export interface LearnedMasks {
  readonly spatial: Logits;
  readonly temporal: Logits;
  /** Mean per pass, or per batch. */
  readonly utilities: readonly number[];
}

/** Utility on one calibration question, 0 to 1; called in order. */
type Utility = (question: number, edges: EdgeSet) => Promise<number>;

/**
 * Learns edge logits by policy gradient over drawn graphs (AgentPrune, one-shot pruning). The loss has the utility minus
 * the question's mean, and the masks' nuclear norm as a proxy for rank.
 * @param edges - candidates
 */
export async function learnMasks(
  edges: EdgeSet,
  questions: number,
  utility: Utility,
  options: LearnOptions,
): Promise<LearnedMasks> {
  const { samples = learnDefaults.samples, passes = learnDefaults.passes, seed } = options;
  const random = randomFromSeed(`agentprune/learn/${seed}`);
  const { logits, raise } = fresh(edges.spatial.length);
  const utilities: number[] = [];
  for (let pass = 0; pass < passes; pass++) {
    let total = 0;
    for (let question = 0; question < questions; question++) {
      const drawn = Array.from({ length: samples }, () => drawGraph(edges, logits, random));
      const gained = await Promise.all(drawn.map((graph) => utility(question, graph.edges)));
      const mean = meanOf(gained) ?? 0;
      total += mean;
      const above = gained.map((value) => value - mean);
      for (const kind of ["spatial", "temporal"] as const) {
        const rank = nuclearGradient(logits[kind], edges[kind]);
        const score = policyGradient(drawn, above, kind);
        raise[kind]((from, to) => score(from, to) - rankWeight * valueOf(rank, from, to));
      }
    }
    utilities.push(total / Math.max(1, questions));
  }
  return { ...logits, utilities };
}

/** d ||sigmoid(logits) * mask||_* / d logits: U V^T through the sigmoid. */
export function nuclearGradient(logits: Logits, mask: Mask): Logits {
  const p = new Matrix(square(logits.length, (i, j) => (mask[i]?.[j] ? sigmoid(valueOf(logits, i, j)) : 0)));
  const svd = new SingularValueDecomposition(p);
  // Singular value 0 has no gradient.
  const sign = Matrix.diag(svd.diagonal.map((value) => (value > 1e-12 ? 1 : 0)));
  const direction = svd.leftSingularVectors.mmul(sign).mmul(svd.rightSingularVectors.transpose());
  return square(logits.length, (i, j) => (mask[i]?.[j] ? direction.get(i, j) * p.get(i, j) * (1 - p.get(i, j)) : 0));
}

/** Graphs per update, one per question. */
export const releasedBatch = 4;

const [pruneEvery, dropped] = [5, 0.25] as const;

/**
 * Learns like the released code: one update per question, from a batch. The loss is the mean of -log p x utility.
 * Every fifth update drops the quarter of edges with the lowest logits.
 * @param temporal - false with a single round: temporal edges are not learned
 */
export async function learnByPruning(
  start: EdgeSet,
  temporal: boolean,
  questions: number,
  utility: Utility,
  seed: string | number,
): Promise<LearnedMasks & { readonly edges: EdgeSet }> {
  const random = randomFromSeed(`agentprune/released/${seed}`);
  const { logits, raise } = fresh(start.spatial.length);
  let edges = start;
  const utilities: number[] = [];
  for (let update = 0; update < questions; update++) {
    const drawn = Array.from({ length: releasedBatch }, () => drawGraph(edges, logits, random));
    const gained = await Promise.all(
      drawn.map((graph, i) => utility((update * releasedBatch + i) % questions, graph.edges)),
    );
    utilities.push(meanOf(gained) ?? 0);
    for (const kind of temporal ? (["spatial", "temporal"] as const) : (["spatial"] as const)) {
      raise[kind](policyGradient(drawn, gained, kind));
      if ((update + 1) % pruneEvery === 0) edges = { ...edges, [kind]: dropLowest(edges[kind], logits[kind]) };
    }
  }
  return { edges, ...logits, utilities };
}

/** Drops the lowest quarter of the edges, at least one; ties drop the earlier. */
export function dropLowest(mask: Mask, logits: Logits): Mask {
  const edges = edgesOf(mask).toSorted((a, b) => valueOf(logits, a.from, a.to) - valueOf(logits, b.from, b.to));
  const exact = edges.length * dropped;
  // Rounds half to even, like torch.
  const count = exact % 1 === 0.5 ? 2 * Math.round(exact / 2) : Math.round(exact);
  const lowest = new Set(edges.slice(0, Math.max(1, count)).map(({ from, to }) => `${from}-${to}`));
  return square(mask.length, (from, to) => mask[from]?.[to] === true && !lowest.has(`${from}-${to}`));
}
