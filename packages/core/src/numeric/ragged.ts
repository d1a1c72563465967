import { inputError } from "../errors.ts";

/** S sequences of unequal length: sequence s has `values[offsets[s] .. offsets[s + 1])`. */
export interface Ragged {
  readonly values: Float64Array;
  /** Length S + 1, starts at 0, never decreases. */
  readonly offsets: Int32Array;
}

/** Packs one array per sequence. */
export function ragged(rows: readonly ArrayLike<number>[]): Ragged {
  const offsets = new Int32Array(rows.length + 1);
  rows.forEach((row, s) => (offsets[s + 1] = offsets[s]! + row.length));
  const values = new Float64Array(offsets[rows.length]!);
  rows.forEach((row, s) => values.set(row, offsets[s]));
  return { values, offsets };
}

/** One sequence's values. */
export function raggedRow(data: Ragged, row: number): Float64Array {
  return data.values.subarray(data.offsets[row], data.offsets[row + 1]);
}

/** Copies sequences, in order. */
export function raggedSelect(data: Ragged, rows: readonly number[]): Ragged {
  return ragged(rows.map((row) => raggedRow(data, row)));
}

/** @throws LaconicError `input_invalid` for different layouts */
export function assertSameLayout(reference: Ragged, other: Ragged, name: string): void {
  const same =
    reference.offsets.length === other.offsets.length &&
    reference.offsets.every((offset, i) => offset === other.offsets[i]);
  if (!same)
    throw inputError(`${name}: sequence lengths differ from those of the log-probs`, {
      name,
      sequences: reference.offsets.length - 1,
      found: other.offsets.length - 1,
    });
}
