import { LaconicError } from "@laconic/core";
import { expectFloats, matrix, type Kernels } from "@laconic/kernels";
import type { GpuDevice } from "./gpu-device.ts";
import { rotaryProgram } from "./wgsl/rotary.ts";

/** Rotary positions (Su et al. 2021), the halves of a head against each other. */
export function rotaryKernels(device: GpuDevice): Pick<Kernels, "rotary"> {
  return {
    rotary(x, { cos, sin }, positions, heads, inverse = false) {
      const [rows, width] = matrix(x, "rotary: x");
      const [count, half] = matrix(cos, "rotary: cos");
      expectFloats(sin, [count, half], "rotary: sin");
      if (width !== heads * 2 * half)
        throw new LaconicError(
          "input_invalid",
          `rotary: ${heads} heads of ${2 * half} do not fill a width of ${width}`,
        );
      device.ops.expectIndices(positions, rows, count, "rotary: positions");
      const tables = { cos: device.data(cos), sin: device.data(sin), positions: device.data(positions) };
      return device.make([rows, width], () => rotaryProgram({ ...tables, x: device.data(x) }, heads, inverse));
    },
  };
}
