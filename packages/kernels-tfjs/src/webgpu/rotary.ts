import type { Kernels } from "@laconic/kernels";
import { expectRotary } from "../ops/expect-rotary.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { rotaryProgram } from "./wgsl/rotary.ts";

/** Rotary positions (Su et al. 2021), the halves of a head against each other. */
export function rotaryKernels(device: GpuDevice): Pick<Kernels, "rotary"> {
  return {
    rotary(x, { cos, sin }, positions, heads, inverse = false) {
      const { rows, width, count } = expectRotary(x, { cos, sin }, heads);
      device.ops.expectIndices(positions, rows, count, "rotary: positions");
      const tables = { cos: device.data(cos), sin: device.data(sin), positions: device.data(positions) };
      return device.make([rows, width], () => rotaryProgram({ ...tables, x: device.data(x) }, heads, inverse));
    },
  };
}
