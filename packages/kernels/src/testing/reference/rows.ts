import { Matrix } from "./matrix.ts";

/** Row m of the result is row `rows[m]` of the table. */
export function gatherRows(table: Matrix, rows: Int32Array): Matrix {
  const out = new Matrix(rows.length, table.columns);
  rows.forEach((row, m) => out.row(m).set(table.row(row)));
  return out;
}

/** Row `rows[m]` of the result collects row m of `delta`. */
export function scatterAddRows(delta: Matrix, rows: Int32Array, rowCount: number): Matrix {
  const out = new Matrix(rowCount, delta.columns);
  rows.forEach((row, m) => {
    for (let d = 0; d < delta.columns; d++) out.add(row, d, delta.at(m, d));
  });
  return out;
}
