import type { SequenceLayout } from "@laconic/kernels";
import { gather, mul, reshape, tensor2d, transpose, type Tensor as TfTensor } from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";

/** Where packed rows lie among sequences padded to the longest. */
export interface PaddedLayout {
  readonly sequences: number;
  readonly longest: number;
  /** Packed row of each padded one, int32 [S * longest], 0 for padding; null when nothing needs padding. */
  readonly sources: TfTensor | null;
  /** Padded row of each packed one, int32 [N]. */
  readonly places: TfTensor | null;
  /** 1 for rows of the batch, 0 for padding, [S * longest, 1]. */
  readonly present: TfTensor | null;
}

/** Worked out once per layout and freed with it. */
export function paddedLayout(device: OpsDevice, layout: SequenceLayout, rows: number): PaddedLayout {
  const { offsets, longest, offsetsOnDevice } = layout;
  const sequences = offsets.length - 1;
  if (sequences * longest === rows) return { sequences, longest, sources: null, places: null, present: null };
  const sources = new Int32Array(sequences * longest);
  const places = new Int32Array(rows);
  const present = new Float32Array(sequences * longest);
  for (let s = 0; s < sequences; s++) {
    const start = offsets[s] as number;
    for (let row = start; row < (offsets[s + 1] as number); row++) {
      const place = s * longest + row - start;
      places[row] = place;
      sources[place] = row;
      present[place] = 1;
    }
  }
  return {
    sequences,
    longest,
    sources: device.deriveIndices(offsetsOnDevice, "sources", () => sources),
    places: device.deriveIndices(offsetsOnDevice, "places", () => places),
    present: device.derive(offsetsOnDevice, "present", () => tensor2d(present, [present.length, 1])),
  };
}

/** [N, heads * width] as [S, kvHeads, group * longest, width], the query heads of a group one after the other; padding is zero. */
export function toHeads(x: TfTensor, layout: PaddedLayout, kvHeads: number, group: number, width: number): TfTensor {
  const { sequences, longest, sources, present } = layout;
  const padded = sources && present ? mul(gather(x, sources), present) : x;
  const split = reshape(padded, [sequences, longest, kvHeads, group, width]);
  return reshape(transpose(split, [0, 2, 3, 1, 4]), [sequences, kvHeads, group * longest, width]);
}

/** The way back to [N, kvHeads * group * width]. */
export function fromHeads(x: TfTensor, layout: PaddedLayout, kvHeads: number, group: number, width: number): TfTensor {
  const { sequences, longest, places } = layout;
  const split = reshape(x, [sequences, kvHeads, group, longest, width]);
  const rows = reshape(transpose(split, [0, 3, 1, 2, 4]), [sequences * longest, kvHeads * group * width]);
  return places ? gather(rows, places) : rows;
}
