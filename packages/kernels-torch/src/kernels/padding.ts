import type { SequenceLayout } from "@laconic/engine/kernels";
import type { ScalarType } from "../native/scalar-type.ts";
import type { Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import type { Rows } from "./dense-attention.ts";

export interface PaddedLayout {
  readonly rows: number;
  readonly sequences: number;
  readonly longest: number;
  /** int64 [N]; null without padding. */
  readonly places: Handle | null;
}

/** Cached. */
export function paddedLayout(device: TorchDevice, layout: SequenceLayout, rows: number): PaddedLayout {
  const { store, torch } = device;
  const { offsets, longest } = layout;
  const sequences = offsets.length - 1;
  if (sequences * longest === rows) return { rows, sequences, longest, places: null };
  const places = store.derive(store.get(layout.offsetsOnDevice), "padded rows", () => {
    const values = new Float64Array(rows);
    for (let s = 0; s < sequences; s++) {
      const start = offsets[s]!;
      for (let row = start; row < offsets[s + 1]!; row++) values[row] = s * longest + row - start;
    }
    return torch.uploadIndices(values, [rows]);
  });
  return { rows, sequences, longest, places };
}

/** Pads [N, width] to [S * longest, width] with zeros. */
export function padRows(device: TorchDevice, x: Handle, layout: PaddedLayout, width: number, type: ScalarType): Handle {
  if (layout.places === null) return x;
  const { torch } = device;
  const padded = torch.full([layout.sequences * layout.longest, width], type, 0);
  return torch.copyRows(padded, layout.places, x);
}

export function paddedRows(device: TorchDevice, x: Rows, layout: PaddedLayout, width: number): Rows {
  if (layout.places === null) return x;
  return { handle: padRows(device, x.handle, layout, width, device.working), stride: width };
}

export function packRows(device: TorchDevice, x: Handle, layout: PaddedLayout, width: number): Handle {
  const { torch } = device;
  const flat = torch.view(x, [layout.sequences * layout.longest, width]);
  return layout.places === null ? flat : torch.selectRows(flat, layout.places);
}
