import { matrixSize, type Kernels } from "../kernels/index.ts";
import type { WasmDevice } from "./wasm-device.ts";

type Rows = "gatherRows" | "scatterAddRows" | "placeRows" | "rmsNorm" | "rmsNormBackward" | "rotary";

/** Operations that treat each row of a matrix by itself. */
export function rowKernels(device: WasmDevice): Pick<Kernels, Rows> {
  const { store } = device;
  return {
    gatherRows(table, ids) {
      const [rows, width] = matrixSize(table);
      const count = ids.shape[0] ?? 0;
      device.expectIndices(ids, rows, "gatherRows: rows");
      const out = store.allocate([count, width]);
      device.divideRows({ countAt: 3, width, rows: [2], numbers: [1] }, "gatherRows", table, ids, out, count, width);
      return out;
    },
    scatterAddRows(delta, ids, rowCount) {
      const [count, width] = matrixSize(delta);
      device.expectIndices(ids, rowCount, "scatterAddRows: rows");
      const out = store.zeros([rowCount, width]);
      device.run("scatterAddRows", delta, ids, out, count, width);
      return out;
    },
    placeRows({ tensor, add }, delta, ids) {
      const [rowCount, width] = matrixSize(tensor);
      const count = ids.shape[0] ?? 0;
      device.expectIndices(ids, rowCount, "placeRows: rows");
      store.makeWritable(tensor);
      if (!add) store.bytes(tensor).fill(0);
      device.run("scatterAddRows", delta, ids, tensor, count, width);
    },
    rmsNorm(x, weight, epsilon) {
      const [rows, width] = matrixSize(x);
      const [out, invRms] = [store.allocate(x.shape), store.allocate([rows])];
      const split = { countAt: 4, width, rows: [0, 2], numbers: [3] };
      device.divideRows(split, "rmsNorm", x, weight, out, invRms, rows, width, epsilon);
      return { out, invRms };
    },
    rmsNormBackward(dOut, x, weight, invRms) {
      const [rows, width] = matrixSize(x);
      const [dX, dWeight] = [store.allocate(x.shape), store.zeros([width])];
      device.withScratch(width, (scratch) =>
        device.run("rmsNormBackward", dOut, x, weight, invRms, dX, dWeight, rows, width, scratch),
      );
      return { dX, dWeight };
    },
    rotary(x, { cos, sin }, positions, heads, inverse = false) {
      const [rows, width] = matrixSize(x);
      const [count, half] = matrixSize(cos);
      device.expectIndices(positions, count, "rotary: positions");
      const out = store.allocate([rows, width]);
      const split = { countAt: 5, width, rows: [0, 4], numbers: [3] };
      device.divideRows(split, "rotary", x, cos, sin, positions, out, rows, heads, half, inverse ? -1 : 1);
      return out;
    },
  };
}
