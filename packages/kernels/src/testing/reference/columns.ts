import { Matrix } from "./matrix.ts";

/** out[n, i] = x[n, start + i]. */
export function columns(x: Matrix, start: number, count: number): Matrix {
  const out = new Matrix(x.rows, count);
  for (let n = 0; n < x.rows; n++) for (let i = 0; i < count; i++) out.set(n, i, x.at(n, start + i));
  return out;
}

/** Matrices of as many rows side by side. */
export function joinColumns(parts: readonly Matrix[]): Matrix {
  const out = new Matrix(
    parts[0]?.rows ?? 0,
    parts.reduce((sum, part) => sum + part.columns, 0),
  );
  let start = 0;
  for (const part of parts) {
    for (let n = 0; n < part.rows; n++) for (let i = 0; i < part.columns; i++) out.set(n, start + i, part.at(n, i));
    start += part.columns;
  }
  return out;
}
