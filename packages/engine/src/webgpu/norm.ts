import { matrixSize, type Kernels } from "../kernels/index.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { columnSumsProgram, rmsNormInputGradient, rmsNormProgram } from "./wgsl/rms-norm.ts";

/** Root-mean-square normalisation (Zhang and Sennrich 2019). */
export function normKernels(device: GpuDevice): Pick<Kernels, "rmsNorm" | "rmsNormBackward"> {
  return {
    rmsNorm(x, weight, epsilon) {
      const [rows, width] = matrixSize(x);
      const { result, invRms } = device.makeAll({ result: [rows, width], invRms: [rows] }, () =>
        rmsNormProgram(device.data(x), device.data(weight), epsilon),
      );
      return { out: result, invRms };
    },
    rmsNormBackward(dOut, x, weight, invRms) {
      const [rows, width] = matrixSize(x);
      const inputs = { dOut: device.data(dOut), x: device.data(x), invRms: device.data(invRms) };
      return {
        dX: device.make([rows, width], () => rmsNormInputGradient({ ...inputs, weight: device.data(weight) })),
        dWeight:
          rows === 0 ? device.zeros([width]) : device.make([width], () => columnSumsProgram(inputs.dOut, inputs)),
      };
    },
  };
}
