import { Matrix } from "./matrix.ts";

/** out[m] = table[rows[m]]. */
export function gatherRows(table: Matrix, rows: Int32Array): Matrix {
  const out = new Matrix(rows.length, table.columns);
  rows.forEach((row, m) => out.row(m).set(table.row(row)));
  return out;
}

/** out[rows[m]] += delta[m]. */
export function scatterAddRows(delta: Matrix, rows: Int32Array, rowCount: number): Matrix {
  const out = new Matrix(rowCount, delta.columns);
  rows.forEach((row, m) => {
    for (let d = 0; d < delta.columns; d++) out.add(row, d, delta.at(m, d));
  });
  return out;
}

/** out[m] = row `rows[m]`, in rows of `width` numbers. */
export function pickRows<T extends Float64Array | Int32Array>(data: T, width: number, rows: Int32Array): T {
  const picked = new (data.constructor as new (length: number) => T)(rows.length * width);
  rows.forEach((row, m) => picked.set(data.subarray(row * width, (row + 1) * width), m * width));
  return picked;
}

/** Row `rows[m]` = values[m]. */
export function writeRows(
  into: Float64Array | Int32Array,
  width: number,
  rows: Int32Array,
  values: Float64Array | Int32Array,
): void {
  rows.forEach((row, m) => into.set(values.subarray(m * width, (m + 1) * width), row * width));
}

/** out[n, i] = x[n, start + i]. */
export function columns(x: Matrix, start: number, count: number): Matrix {
  const out = new Matrix(x.rows, count);
  for (let n = 0; n < x.rows; n++) for (let i = 0; i < count; i++) out.set(n, i, x.at(n, start + i));
  return out;
}

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
