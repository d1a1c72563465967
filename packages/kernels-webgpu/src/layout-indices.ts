import type { CachePlan } from "@laconic/kernels";
import type { GpuArray } from "./gpu-array.ts";
import type { GpuDevice } from "./gpu-device.ts";

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
