import { Matrix, zerosLike } from "./matrix.ts";

/** out[n, o] = sum_i x[n, i] weight[o, i] + bias[o]. */
export function linear(x: Matrix, weight: Matrix, bias?: Float64Array): Matrix {
  const out = new Matrix(x.rows, weight.rows);
  for (let n = 0; n < x.rows; n++)
    for (let o = 0; o < weight.rows; o++) {
      let sum = bias?.[o] ?? 0;
      for (let i = 0; i < x.columns; i++) sum += x.at(n, i) * weight.at(o, i);
      out.set(n, o, sum);
    }
  return out;
}

export function linearBackward(
  dOut: Matrix,
  x: Matrix,
  weight: Matrix,
): { readonly dX: Matrix; readonly dWeight: Matrix; readonly dBias: Float64Array } {
  const dX = zerosLike(x);
  const dWeight = zerosLike(weight);
  const dBias = new Float64Array(weight.rows);
  for (let n = 0; n < x.rows; n++)
    for (let o = 0; o < weight.rows; o++) {
      const d = dOut.at(n, o);
      dBias[o] = (dBias[o] as number) + d;
      for (let i = 0; i < x.columns; i++) {
        dX.add(n, i, d * weight.at(o, i));
        dWeight.add(o, i, d * x.at(n, i));
      }
    }
  return { dX, dWeight, dBias };
}
