import { matrixSize, type Kernels } from "@laconic/engine/kernels";
import { add, concat, expandDims, gather, mul, neg, reshape, slice, sub } from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";

/** Rotary positions (Su et al. 2021), the halves of a head against each other. */
export function rotaryKernels(device: OpsDevice): Pick<Kernels, "rotary"> {
  return {
    rotary(x, tables, positions, heads, inverse = false) {
      const [rows, width] = matrixSize(x);
      const [count, half] = matrixSize(tables.cos);
      device.expectIndices(positions, count, "rotary: positions");
      return device.make([rows, width], () => {
        const at = device.data(positions);
        const [c, forward] = [tables.cos, tables.sin].map((table) => expandDims(gather(device.data(table), at), 1));
        if (!c || !forward) return device.data(x);
        const s = inverse ? neg(forward) : forward;
        const pairs = reshape(device.data(x), [rows, heads, 2 * half]);
        const low = slice(pairs, [0, 0, 0], [rows, heads, half]);
        const high = slice(pairs, [0, 0, half], [rows, heads, half]);
        return concat([sub(mul(low, c), mul(high, s)), add(mul(high, c), mul(low, s))], 2);
      });
    },
  };
}
