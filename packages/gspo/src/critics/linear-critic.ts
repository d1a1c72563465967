import { inputError, type RewardBatch } from "@laconic/core";
import { checkOption } from "../check-option.ts";
import { viewsOf, type Critic, type CriticView } from "./critic.ts";

export interface LinearCriticOptions {
  /** Fixed-length; include a 1 for a constant. */
  readonly features: (view: CriticView) => readonly number[];
  /** Share of earlier data kept per step, 0 to 1. Default 0.9. */
  readonly decay?: number;
  /** L2 penalty of the weights, above 0. Default 1. */
  readonly ridge?: number;
}

export interface LinearCriticState {
  readonly gram: readonly (readonly number[])[];
  readonly moment: readonly number[];
}

/**
 * Ridge regression of returns on features of a view or of all agents (MAPPO).
 * @throws LaconicError `config_invalid`, `input_invalid`
 */
export function linearCritic({ features, decay = 0.9, ridge = 1 }: LinearCriticOptions): Critic<LinearCriticState> {
  checkOption(decay >= 0 && decay <= 1, "linearCritic: decay", decay, "from 0 to 1");
  checkOption(ridge > 0 && ridge < Infinity, "linearCritic: ridge", ridge, "above 0");
  return {
    name: "linear",
    init: () => ({ gram: [], moment: [] }),
    values(batch, { gram, moment }) {
      const rows = featuresOf(batch, features, moment.length);
      const weights = solved(gram, moment, ridge);
      return Float64Array.from(rows, (row) => dot(row, weights));
    },
    fit(batch, targets, { gram, moment }) {
      const rows = featuresOf(batch, features, moment.length);
      const width = rows[0]?.length ?? moment.length;
      const sum = (before: number, of: (row: readonly number[], i: number) => number) =>
        rows.reduce((total, row, i) => total + of(row, i), decay * before);
      const places = Array.from({ length: width }, (_, index) => index);
      return {
        gram: places.map((j) => places.map((k) => sum(gram[j]?.[k] ?? 0, (row) => at(row, j) * at(row, k)))),
        moment: places.map((j) => sum(moment[j] ?? 0, (row, i) => at(row, j) * targets[i]!)),
      };
    },
  };
}

/** @param width - feature count of earlier batches; 0 for none */
function featuresOf(
  batch: RewardBatch,
  features: LinearCriticOptions["features"],
  width: number,
): (readonly number[])[] {
  let expected = width;
  return viewsOf(batch).map((view, row) => {
    const matches = features(view);
    expected ||= matches.length;
    if (matches.length === expected && matches.every(Number.isFinite)) return matches;
    throw inputError(
      `linearCritic: problem "${view.problem.id}", turn ${view.turn}: the features are ${JSON.stringify(matches)}, expected ${expected} finite numbers`,
      { row },
    );
  });
}

/** Solves (G + ridge I) w = m by Cholesky decomposition. */
function solved(gram: LinearCriticState["gram"], moment: readonly number[], ridge: number): number[] {
  const n = moment.length;
  const lower = Array.from({ length: n }, () => new Float64Array(n));
  for (let j = 0; j < n; j++)
    for (let k = 0; k <= j; k++) {
      let rest = at(gram[j] ?? [], k) + (j === k ? ridge : 0);
      for (let i = 0; i < k; i++) rest -= at(lower[j], i) * at(lower[k], i);
      (lower[j] as Float64Array)[k] = j === k ? Math.sqrt(rest) : rest / at(lower[k], k);
    }
  const half: number[] = [];
  for (let j = 0; j < n; j++) half.push((at(moment, j) - dot(lower[j]?.subarray(0, j) ?? [], half)) / at(lower[j], j));
  const weights = new Array<number>(n).fill(0);
  for (let j = n - 1; j >= 0; j--) {
    let rest = at(half, j);
    for (let i = j + 1; i < n; i++) rest -= at(lower[i], j) * at(weights, i);
    weights[j] = rest / at(lower[j], j);
  }
  return weights;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < b.length; i++) sum += at(a, i) * at(b, i);
  return sum;
}

function at(values: ArrayLike<number> | undefined, index: number): number {
  return values?.[index] ?? 0;
}
