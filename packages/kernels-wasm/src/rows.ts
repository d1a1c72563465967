import { expectFloats, matrix, type Kernels } from "@laconic/kernels";
import type { WasmDevice } from "./wasm-device.ts";

type Rows = "gatherRows" | "scatterAddRows" | "placeRows" | "rmsNorm" | "rmsNormBackward" | "rotary";

/** Operations that treat each row of a matrix by itself. */
export function rowKernels(device: WasmDevice): Pick<Kernels, Rows> {
  const { store } = device;
  return {
    gatherRows(table, ids) {
      const [rows, width] = matrix(table, "gatherRows: table");
      const count = ids.shape[0] ?? 0;
      expectFloats(table, table.shape, "gatherRows: table");
      device.expectIndices(ids, count, rows, "gatherRows: rows");
      const out = store.allocate([count, width]);
      device.run("gatherRows", table, ids, out, count, width);
      return out;
    },
    scatterAddRows(delta, ids, rowCount) {
      const [count, width] = matrix(delta, "scatterAddRows: delta");
      expectFloats(delta, delta.shape, "scatterAddRows: delta");
      device.expectIndices(ids, count, rowCount, "scatterAddRows: rows");
      const out = store.zeros([rowCount, width]);
      device.run("scatterAddRows", delta, ids, out, count, width);
      return out;
    },
    placeRows({ tensor, add }, delta, ids) {
      const [rowCount, width] = matrix(tensor, "placeRows: into");
      const count = ids.shape[0] ?? 0;
      expectFloats(tensor, tensor.shape, "placeRows: into");
      expectFloats(delta, [count, width], "placeRows: delta");
      device.expectIndices(ids, count, rowCount, "placeRows: rows");
      store.makeWritable(tensor);
      if (!add) store.bytes(tensor).fill(0);
      device.run("scatterAddRows", delta, ids, tensor, count, width);
    },
    rmsNorm(x, weight, epsilon) {
      const [rows, width] = matrix(x, "rmsNorm: x");
      expectFloats(x, x.shape, "rmsNorm: x");
      expectFloats(weight, [width], "rmsNorm: weight");
      const [out, invRms] = [store.allocate(x.shape), store.allocate([rows])];
      device.run("rmsNorm", x, weight, out, invRms, rows, width, epsilon);
      return { out, invRms };
    },
    rmsNormBackward(dOut, x, weight, invRms) {
      const [rows, width] = matrix(x, "rmsNormBackward: x");
      expectFloats(x, x.shape, "rmsNormBackward: x");
      expectFloats(dOut, x.shape, "rmsNormBackward: dOut");
      expectFloats(weight, [width], "rmsNormBackward: weight");
      expectFloats(invRms, [rows], "rmsNormBackward: invRms");
      const [dX, dWeight] = [store.allocate(x.shape), store.zeros([width])];
      device.withScratch(width, (scratch) =>
        device.run("rmsNormBackward", dOut, x, weight, invRms, dX, dWeight, rows, width, scratch),
      );
      return { dX, dWeight };
    },
    rotary(x, { cos, sin }, positions, heads, inverse = false) {
      const [rows, width] = matrix(x, "rotary: x");
      const [count, half] = matrix(cos, "rotary: cos");
      expectFloats(x, [rows, 2 * heads * half], "rotary: x");
      expectFloats(cos, cos.shape, "rotary: cos");
      expectFloats(sin, cos.shape, "rotary: sin");
      device.expectIndices(positions, rows, count, "rotary: positions");
      const out = store.allocate([rows, width]);
      device.run("rotary", x, cos, sin, positions, out, rows, heads, half, inverse ? -1 : 1);
      return out;
    },
  };
}
