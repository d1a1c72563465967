import { axpy, copyRow } from "./vector";

/** Position of the first id outside [0, limit), or -1. */
export function firstOutside(ids: usize, count: i32, limit: i32): i32 {
  for (let m = 0; m < count; m++) if (load<u32>(ids + (m << 2)) >= <u32>limit) return m;
  return -1;
}

/** out[m] = table[ids[m]]. */
export function gatherRows(table: usize, ids: usize, out: usize, count: i32, width: i32): void {
  const bytes = width << 2;
  for (let m = 0; m < count; m++)
    copyRow(table + load<i32>(ids + (m << 2)) * bytes, out + m * bytes, width);
}

/** out[ids[m]] += delta[m]; out starts as zeros. */
export function scatterAddRows(delta: usize, ids: usize, out: usize, count: i32, width: i32): void {
  const bytes = width << 2;
  for (let m = 0; m < count; m++) axpy(1, delta + m * bytes, out + load<i32>(ids + (m << 2)) * bytes, width);
}

/** `count` floats of each row go from one matrix to another, whose rows lie `fromRow` and `toRow` bytes apart. */
export function copyColumns(from: usize, fromRow: i32, to: usize, toRow: i32, rows: i32, count: i32): void {
  for (let r = 0; r < rows; r++) copyRow(from + r * fromRow, to + r * toRow, count);
}
