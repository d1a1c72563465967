import type { CachePlan, SequenceLayout } from "@laconic/kernels";
import type { GpuArray } from "./gpu-array.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { threads } from "./wgsl/program.ts";

/** Up to 64 rows of one sequence each: first row, end, sequence's start and end; int32 [4 B]. */
export function blocksOf(device: GpuDevice, { offsets, offsetsOnDevice }: SequenceLayout): GpuArray {
  return device.deriveIndices(offsetsOnDevice, "blocks", () => {
    const blocks: number[] = [];
    for (let s = 0; s + 1 < offsets.length; s++) {
      const [start, end] = [offsets[s] as number, offsets[s + 1] as number];
      for (let row = start; row < end; row += threads) blocks.push(row, Math.min(row + threads, end), start, end);
    }
    return Int32Array.from(blocks);
  });
}

/** The sequence of each new token, and the positions that it may look at: int32 [2 N]. */
export function reachOf(device: GpuDevice, { layout, past, pastOnDevice }: CachePlan): GpuArray {
  return device.deriveIndices(pastOnDevice, "reach", () => {
    const { offsets } = layout;
    const reach = new Int32Array(2 * (offsets.at(-1) as number));
    past.forEach((held, s) => {
      const start = offsets[s] as number;
      for (let token = start; token < (offsets[s + 1] as number); token++)
        reach.set([s, held + token - start + 1], 2 * token);
    });
    return reach;
  });
}
