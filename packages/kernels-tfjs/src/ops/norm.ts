import { matrixSize, type Kernels } from "@laconic/engine/kernels";
import { add, expandDims, mean, mul, rsqrt, square, sub, sum, zeros } from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";

/** Root-mean-square normalisation (Zhang and Sennrich 2019). */
export function normKernels(device: OpsDevice): Pick<Kernels, "rmsNorm" | "rmsNormBackward"> {
  return {
    rmsNorm(x, weight, epsilon) {
      const [rows, width] = matrixSize(x);
      const [out, invRms] = device.makeAll([[rows, width], [rows]], () => {
        const input = device.data(x);
        const inverse = rsqrt(add(mean(square(input), 1), epsilon));
        return [mul(mul(input, expandDims(inverse, 1)), device.data(weight)), inverse];
      });
      return { out, invRms };
    },
    rmsNormBackward(dOut, x, weight, invRms) {
      const [rows, width] = matrixSize(x);
      if (rows === 0)
        return {
          dX: device.make([0, width], () => zeros([0, width])),
          dWeight: device.make([width], () => zeros([width])),
        };
      const [dX, dWeight] = device.makeAll([[rows, width], [width]], () => {
        const inverse = expandDims(device.data(invRms), 1);
        const normal = mul(device.data(x), inverse);
        const d = device.data(dOut);
        const dNormal = mul(d, device.data(weight));
        const along = mean(mul(dNormal, normal), 1, true);
        return [mul(inverse, sub(dNormal, mul(normal, along))), sum(mul(d, normal), 0)];
      });
      return { dX, dWeight };
    },
  };
}
