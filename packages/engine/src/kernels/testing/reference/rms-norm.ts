import { zerosLike, type Matrix } from "./matrix.ts";

/** out[n, d] = x[n, d] invRms[n] weight[d] with invRms[n] = 1 / sqrt(mean_d x[n, d]^2 + epsilon). */
export function rmsNorm(
  x: Matrix,
  weight: Float64Array,
  epsilon: number,
): { readonly out: Matrix; readonly invRms: Float64Array } {
  const out = zerosLike(x);
  const invRms = new Float64Array(x.rows);
  for (let n = 0; n < x.rows; n++) {
    const meanSquare = x.row(n).reduce((sum, value) => sum + value * value, 0) / x.columns;
    const inverse = 1 / Math.sqrt(meanSquare + epsilon);
    invRms[n] = inverse;
    for (let d = 0; d < x.columns; d++) out.set(n, d, x.at(n, d) * inverse * (weight[d] as number));
  }
  return { out, invRms };
}

/**
 * With x^ = x invRms and g = dOut weight:
 * dX = invRms (g - x^ mean_d(g x^)), dWeight = sum_n dOut x^.
 */
export function rmsNormBackward(
  dOut: Matrix,
  x: Matrix,
  weight: Float64Array,
  invRms: Float64Array,
): { readonly dX: Matrix; readonly dWeight: Float64Array } {
  const dX = zerosLike(x);
  const dWeight = new Float64Array(x.columns);
  for (let n = 0; n < x.rows; n++) {
    const inverse = invRms[n] as number;
    let mean = 0;
    for (let d = 0; d < x.columns; d++) {
      const normed = x.at(n, d) * inverse;
      mean += (dOut.at(n, d) * (weight[d] as number) * normed) / x.columns;
      dWeight[d] = (dWeight[d] as number) + dOut.at(n, d) * normed;
    }
    for (let d = 0; d < x.columns; d++) {
      const g = dOut.at(n, d) * (weight[d] as number);
      dX.set(n, d, inverse * (g - x.at(n, d) * inverse * mean));
    }
  }
  return { dX, dWeight };
}
