/** Rows of float64 numbers, one behind the other. */
export interface Rows {
  readonly values: Float64Array;
  readonly width: number;
}

/** A number for each of some rows and some sums: that of row r and sum s at `r * perRow + s * perSum`. */
interface Factors {
  readonly values: Float64Array;
  readonly perRow: number;
  readonly perSum: number;
}

/**
 * x Wᵀ for each row of x: [T, out] of x [T, in] and W [out, in]. Four rows go along one row of W, each with a sum of its own: a
 * processor waits for one sum after the other, and every sum is the plain one.
 */
export function timesRows({ values, width }: Rows, matrix: Float64Array): Float64Array {
  const outWidth = matrix.length / width;
  const out = new Float64Array((values.length / width) * outWidth);
  const last = values.length - width;
  for (let a = 0; a <= last; a += 4 * width) {
    // Behind the last row stands the last one again.
    const b = Math.min(a + width, last);
    const c = Math.min(b + width, last);
    const d = Math.min(c + width, last);
    for (let o = 0; o < outWidth; o++) {
      let [p, q, r, s] = [0, 0, 0, 0];
      for (let i = 0, at = o * width; i < width; i++) {
        const w = matrix[at + i] as number;
        p += w * (values[a + i] as number);
        q += w * (values[b + i] as number);
        r += w * (values[c + i] as number);
        s += w * (values[d + i] as number);
      }
      out[(a / width) * outWidth + o] = p;
      out[(b / width) * outWidth + o] = q;
      out[(c / width) * outWidth + o] = r;
      out[(d / width) * outWidth + o] = s;
    }
  }
  return out;
}

/** Adds to each of `sums` all rows by its factors: sums[s] += Σ_r factors[r, s] rows[r], four rows at a time. */
export function addCombined(sums: Rows, { values: rows, width }: Rows, factors: Factors): void {
  const { values: into } = sums;
  const { values, perRow, perSum } = factors;
  const count = rows.length / width;
  for (let sum = 0; sum * width < into.length; sum++)
    for (let row = 0; row < count; row += 4) {
      const f = row * perRow + sum * perSum;
      const p = values[f] as number;
      const q = row + 1 < count ? (values[f + perRow] as number) : 0;
      const r = row + 2 < count ? (values[f + 2 * perRow] as number) : 0;
      const s = row + 3 < count ? (values[f + 3 * perRow] as number) : 0;
      if (p === 0 && q === 0 && r === 0 && s === 0) continue;
      const a = row * width;
      const b = row + 1 < count ? a + width : a;
      const c = row + 2 < count ? b + width : a;
      const d = row + 3 < count ? c + width : a;
      for (let i = 0, at = sum * width; i < width; i++)
        into[at + i]! +=
          p * (rows[a + i] as number) +
          q * (rows[b + i] as number) +
          r * (rows[c + i] as number) +
          s * (rows[d + i] as number);
    }
}
