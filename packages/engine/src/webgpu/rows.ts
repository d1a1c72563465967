import { matrixSize, type Kernels, type Tensor } from "../kernels/index.ts";
import type { GpuArray } from "./gpu-array.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { addRowsProgram, takeRowsProgram } from "./wgsl/rows.ts";

/** Rows of a table by number. */
export function rowKernels(device: GpuDevice): Pick<Kernels, "gatherRows" | "scatterAddRows" | "placeRows"> {
  /** Adds rows to a table. */
  const addRows = (table: GpuArray, delta: Tensor, ids: Tensor): void =>
    device.runner.runInPlace(addRowsProgram(device.data(delta), device.data(ids)), table);
  return {
    gatherRows(table, ids) {
      const [rows, width] = matrixSize(table);
      const count = ids.shape[0] ?? 0;
      device.expectIndices(ids, rows, "gatherRows: rows");
      return device.make([count, width], () => takeRowsProgram(device.data(table), device.data(ids)));
    },
    scatterAddRows(delta, ids, rowCount) {
      const [, width] = matrixSize(delta);
      device.expectIndices(ids, rowCount, "scatterAddRows: rows");
      const made = device.zeros([rowCount, width]);
      addRows(made.data, delta, ids);
      return made;
    },
    placeRows({ tensor, add }, delta, ids) {
      const [rowCount] = matrixSize(tensor);
      device.expectIndices(ids, rowCount, "placeRows: rows");
      const table = device.own(tensor);
      if (!add) device.runner.clear(table);
      addRows(table, delta, ids);
    },
  };
}
