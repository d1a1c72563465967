import { ancestorRuns, type SequenceLayout } from "@laconic/engine/kernels";
import * as tf from "@tensorflow/tfjs-core";
import type { Tensor as TfTensor } from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";

/**
 * Layout of packed rows in sequences padded to the longest. Each path from the root of a tree to a leaf is a
 * sequence.
 */
export interface PaddedLayout {
  /** Packed rows, N. */
  readonly rows: number;
  readonly sequences: number;
  readonly longest: number;
  /** Packed row of each padded row, int32 [S * longest]; null without padding. */
  readonly sources: TfTensor | null;
  /** Padded row of each packed row, int32 [N], in the first sequence that has it. */
  readonly places: TfTensor | null;
  /** 1 for rows, 0 for padding, [S * longest, 1]. */
  readonly present: TfTensor | null;
  /** 1 for rows in `places`, else 0; null outside trees. */
  readonly owned: TfTensor | null;
}

export function paddedLayout(device: OpsDevice, layout: SequenceLayout, rows: number): PaddedLayout {
  const { longest, offsetsOnDevice, tree } = layout;
  const ends = lastSegments(layout);
  const sequences = ends.length;
  if (!tree && sequences * longest === rows)
    return { rows, sequences, longest, sources: null, places: null, present: null, owned: null };
  const source = tree ? tree.parentsOnDevice : offsetsOnDevice;
  let registry: PaddedRows | undefined;
  const numbers = (): PaddedRows => (registry ??= paddedRows(layout, ends, rows));
  const column = (name: "present" | "owned") =>
    device.derive(source, name, () => tf.tensor2d(numbers()[name], [sequences * longest, 1]));
  return {
    rows,
    sequences,
    longest,
    sources: device.deriveIndices(source, "sources", () => numbers().sources),
    places: device.deriveIndices(source, "places", () => numbers().places),
    present: column("present"),
    owned: tree ? column("owned") : null,
  };
}

function lastSegments({ offsets, tree }: SequenceLayout): number[] {
  const segments = Array.from({ length: offsets.length - 1 }, (_, s) => s);
  // Depth-first: a first child directly follows its parent.
  return tree ? segments.filter((s) => tree.parents[s + 1] !== s) : segments;
}

interface PaddedRows {
  readonly sources: Int32Array;
  readonly places: Int32Array;
  readonly present: Float32Array;
  readonly owned: Float32Array;
}

function paddedRows(layout: SequenceLayout, ends: readonly number[], rows: number): PaddedRows {
  const { longest } = layout;
  const padded = ends.length * longest;
  const sources = new Int32Array(padded);
  const places = new Int32Array(rows).fill(-1);
  const [present, owned] = [new Float32Array(padded), new Float32Array(padded)];
  ends.forEach((segment, s) => {
    let index = s * longest;
    for (const { start, end } of ancestorRuns(layout, segment))
      for (let row = start; row < end; row++, index++) {
        sources[index] = row;
        present[index] = 1;
        if (places[row] !== -1) continue;
        places[row] = index;
        owned[index] = 1;
      }
  });
  return { sources, places, present, owned };
}

/**
 * [N, heads * width] as [S, kvHeads, group * longest, width]; padding is zero.
 * @param mask - rows set to zero
 */
export function toHeads(
  x: TfTensor,
  layout: PaddedLayout,
  kvHeads: number,
  group: number,
  width: number,
  mask: TfTensor | null = layout.present,
): TfTensor {
  const { sequences, longest, sources } = layout;
  const padded = sources && mask ? tf.mul(tf.gather(x, sources), mask) : x;
  const split = tf.reshape(padded, [sequences, longest, kvHeads, group, width]);
  return tf.reshape(tf.transpose(split, [0, 2, 3, 1, 4]), [sequences, kvHeads, group * longest, width]);
}

/** Inverse of {@link toHeads}: [N, kvHeads * group * width]; shared rows come from their first sequence. */
export function fromHeads(x: TfTensor, layout: PaddedLayout, kvHeads: number, group: number, width: number): TfTensor {
  const rows = paddedFromHeads(x, layout, kvHeads, group, width);
  return layout.places ? tf.gather(rows, layout.places) : rows;
}

/** The same to [N, kvHeads * width], summed over sequences in order. Padding must be zero. */
export function sumFromHeads(x: TfTensor, layout: PaddedLayout, kvHeads: number, width: number): TfTensor {
  const { owned, sources } = layout;
  if (!owned || !sources) return fromHeads(x, layout, kvHeads, 1, width);
  const rows = paddedFromHeads(x, layout, kvHeads, 1, width);
  return tf.scatterND(tf.expandDims(sources, 1), rows, [layout.rows, kvHeads * width]);
}

function paddedFromHeads(
  x: TfTensor,
  { sequences, longest }: PaddedLayout,
  kvHeads: number,
  group: number,
  width: number,
): TfTensor {
  const split = tf.reshape(x, [sequences, kvHeads, group, longest, width]);
  return tf.reshape(tf.transpose(split, [0, 3, 1, 2, 4]), [sequences * longest, kvHeads * group * width]);
}
