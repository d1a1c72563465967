import { matrixSize, type Kernels } from "../kernels/index.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { rotaryProgram } from "./wgsl/rotary.ts";

/** Rotary positions (Su et al. 2021), the halves of a head against each other. */
export function rotaryKernels(device: GpuDevice): Pick<Kernels, "rotary"> {
  return {
    rotary(x, { cos, sin }, positions, heads, inverse = false) {
      const [count] = matrixSize(cos);
      device.expectIndices(positions, count, "rotary: positions");
      const tables = { cos: device.data(cos), sin: device.data(sin), positions: device.data(positions) };
      return device.make(x.shape, () => rotaryProgram({ ...tables, x: device.data(x) }, heads, inverse));
    },
  };
}
