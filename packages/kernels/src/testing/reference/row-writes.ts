/** Row m of the result is row `rows[m]` of numbers in rows of `width`. */
export function pickRows<T extends Float64Array | Int32Array>(data: T, width: number, rows: Int32Array): T {
  const picked = new (data.constructor as new (length: number) => T)(rows.length * width);
  rows.forEach((row, m) => picked.set(data.subarray(row * width, (row + 1) * width), m * width));
  return picked;
}

/** Row `rows[m]` becomes row m of the values. */
export function writeRows(
  into: Float64Array | Int32Array,
  width: number,
  rows: Int32Array,
  values: Float64Array | Int32Array,
): void {
  rows.forEach((row, m) => into.set(values.subarray(m * width, (m + 1) * width), row * width));
}
