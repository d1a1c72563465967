import type { Gradient } from "./gradient.ts";
import { addCombined, timesRows } from "./matrices.ts";
import type { Shape } from "./model-shape.ts";
import type { Weights } from "./weights-file.ts";

export function valuesOf(weights: Weights, name: string): Float64Array {
  const found = weights.get(name);
  if (!found) throw new Error(`the weights hold no ${name}`);
  return found.values;
}

/** A step of the network and its way back: from d loss / d out to d loss / d in. */
export interface Step {
  readonly out: Float64Array;
  back(dOut: Float64Array, gradient: Gradient): Float64Array;
}

/** y = W x + b, and s B A x where the projection has a low-rank update, for each of the rows of x. */
export function projection(
  weights: Weights,
  { adapterScale }: Shape,
  name: string,
  x: Float64Array,
  inWidth: number,
): Step {
  const base = linear(weights, name, x, inWidth);
  if (!weights.has(`${name}.lora_A.weight`)) return base;
  const rank = valuesOf(weights, `${name}.lora_A.weight`).length / inWidth;
  const inner = linear(weights, `${name}.lora_A`, x, inWidth);
  const outer = linear(weights, `${name}.lora_B`, inner.out, rank);
  return {
    out: base.out.map((value, i) => value + adapterScale * (outer.out[i] as number)),
    back(dOut, gradient) {
      const dInner = outer.back(
        dOut.map((value) => adapterScale * value),
        gradient,
      );
      return sumOf([base.back(dOut, gradient), inner.back(dInner, gradient)]);
    },
  };
}

/** y = W x + b for each of the rows of x. */
function linear(weights: Weights, name: string, x: Float64Array, inWidth: number): Step {
  const matrix = valuesOf(weights, `${name}.weight`);
  const bias = weights.get(`${name}.bias`)?.values;
  const outWidth = matrix.length / inWidth;
  const rows = { values: x, width: inWidth };
  const out = timesRows(rows, matrix);
  if (bias) for (let i = 0; i < out.length; i++) out[i]! += bias[i % outWidth] as number;
  return {
    out,
    back(dOut, gradient) {
      const dMatrix = gradient.of(`${name}.weight`, matrix.length);
      if (dMatrix)
        addCombined({ values: dMatrix, width: inWidth }, rows, { values: dOut, perRow: outWidth, perSum: 1 });
      const dBias = bias && gradient.of(`${name}.bias`, bias.length);
      if (dBias) dOut.forEach((d, i) => (dBias[i % outWidth]! += d));
      const dx = new Float64Array(x.length);
      const weightRows = { values: matrix, width: inWidth };
      addCombined({ values: dx, width: inWidth }, weightRows, { values: dOut, perRow: 1, perSum: outWidth });
      return dx;
    },
  };
}

/** x / rms(x) · w over rows of `width`. */
export function rmsNorm(weights: Weights, name: string, x: Float64Array, width: number, epsilon: number): Step {
  const scale = valuesOf(weights, name);
  const out = new Float64Array(x.length);
  const inverse = new Float64Array(x.length / width);
  for (let t = 0; t < inverse.length; t++) {
    let squares = 0;
    for (let i = 0; i < width; i++) squares += (x[t * width + i] as number) ** 2;
    const r = 1 / Math.sqrt(squares / width + epsilon);
    inverse[t] = r;
    for (let i = 0; i < width; i++) out[t * width + i] = (x[t * width + i] as number) * r * (scale[i] as number);
  }
  return {
    out,
    back(dOut, gradient) {
      const dScale = gradient.of(name, scale.length);
      const dx = new Float64Array(x.length);
      inverse.forEach((r, t) => {
        let along = 0;
        for (let i = 0; i < width; i++) {
          const at = t * width + i;
          if (dScale) dScale[i]! += (dOut[at] as number) * (x[at] as number) * r;
          along += (dOut[at] as number) * (scale[i] as number) * (x[at] as number);
        }
        for (let i = 0; i < width; i++) {
          const at = t * width + i;
          dx[at] = r * (dOut[at] as number) * (scale[i] as number) - (r ** 3 * along * (x[at] as number)) / width;
        }
      });
      return dx;
    },
  };
}

export function sumOf(parts: readonly Float64Array[]): Float64Array {
  return Float64Array.from(parts[0] ?? [], (_, i) => {
    let sum = 0;
    for (const part of parts) sum += part[i] as number;
    return sum;
  });
}
