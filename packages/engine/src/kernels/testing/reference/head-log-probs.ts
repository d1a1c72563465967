import { linear } from "./linear.ts";
import { zerosLike, type Matrix } from "./matrix.ts";

/** Per row m with z = inverseTemperature[m] weight hidden[m]: z[target] - lse, lse - sum_v p_v z_v, and lse = log sum_v exp z_v. */
export function headLogProbs(
  hidden: Matrix,
  weight: Matrix,
  targets: Int32Array,
  inverseTemperature: Float64Array,
): { readonly logProbs: Float64Array; readonly entropy: Float64Array; readonly logSumExp: Float64Array } {
  const scores = scaledLogits(hidden, weight, inverseTemperature);
  const logSumExp = Float64Array.from(targets, (_, m) => logSumExpOf(scores.row(m)));
  const logProbs = logSumExp.map((lse, m) => scores.at(m, targets[m] as number) - lse);
  const entropy = logSumExp.map((lse, m) => scores.row(m).reduce((sum, z) => sum + Math.exp(z - lse) * (lse - z), 0));
  return { logProbs, entropy, logSumExp };
}

/** d logProb / d z_v = [v is the target] - p_v. */
export function headLogProbsBackward(
  dLogProbs: Float64Array,
  hidden: Matrix,
  weight: Matrix,
  targets: Int32Array,
  inverseTemperature: Float64Array,
): { readonly dHidden: Matrix; readonly dWeight: Matrix } {
  const scores = scaledLogits(hidden, weight, inverseTemperature);
  const dHidden = zerosLike(hidden);
  const dWeight = zerosLike(weight);
  targets.forEach((target, m) => {
    const lse = logSumExpOf(scores.row(m));
    for (let v = 0; v < weight.rows; v++) {
      const dScore = (v === target ? 1 : 0) - Math.exp(scores.at(m, v) - lse);
      const dLogit = (dLogProbs[m] as number) * dScore * (inverseTemperature[m] as number);
      for (let d = 0; d < hidden.columns; d++) {
        dHidden.add(m, d, dLogit * weight.at(v, d));
        dWeight.add(v, d, dLogit * hidden.at(m, d));
      }
    }
  });
  return { dHidden, dWeight };
}

function scaledLogits(hidden: Matrix, weight: Matrix, inverseTemperature: Float64Array): Matrix {
  const scores = linear(hidden, weight);
  for (let m = 0; m < scores.rows; m++)
    for (let v = 0; v < scores.columns; v++) scores.set(m, v, scores.at(m, v) * (inverseTemperature[m] as number));
  return scores;
}

/** log sum exp, computed from the largest value down. */
export function logSumExpOf(values: Float64Array): number {
  const top = values.reduce((most, value) => Math.max(most, value), -Infinity);
  return top + Math.log(values.reduce((sum, value) => sum + Math.exp(value - top), 0));
}
