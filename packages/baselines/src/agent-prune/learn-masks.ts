import { randomFromSeed } from "@laconic/core";
import { Matrix, SingularValueDecomposition } from "ml-matrix";
import { Adam } from "./adam.ts";
import { drawGraph, policyGradient, zeros, type EdgeSet, type Logits, type Mask } from "./edges.ts";

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
