import { matrixSize, type Kernels } from "@laconic/engine/kernels";
import {
  add as sumOf,
  gather,
  tidy,
  unsortedSegmentSum,
  zeros,
  type Tensor1D,
  type Tensor as TfTensor,
} from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";

/** Rows of a table by number. */
export function rowKernels(device: OpsDevice): Pick<Kernels, "gatherRows" | "scatterAddRows" | "placeRows"> {
  return {
    gatherRows(table, ids) {
      const [rows, width] = matrixSize(table);
      const count = ids.shape[0] ?? 0;
      device.expectIndices(ids, rows, "gatherRows: rows");
      return device.make([count, width], () => gather(device.data(table), device.data(ids)));
    },
    scatterAddRows(delta, ids, rowCount) {
      const [count, width] = matrixSize(delta);
      device.expectIndices(ids, rowCount, "scatterAddRows: rows");
      return device.make([rowCount, width], () =>
        count === 0
          ? zeros([rowCount, width])
          : unsortedSegmentSum(device.data(delta), device.data(ids) as Tensor1D, rowCount),
      );
    },
    placeRows({ tensor, add }, delta, ids) {
      const [rowCount, width] = matrixSize(tensor);
      const count = ids.shape[0] ?? 0;
      device.expectIndices(ids, rowCount, "placeRows: rows");
      if (count === 0 && add) return;
      const made = tidy((): TfTensor => {
        if (count === 0) return zeros([rowCount, width]);
        const sums = unsortedSegmentSum(device.data(delta), device.data(ids) as Tensor1D, rowCount);
        return add ? sumOf(device.data(tensor), sums) : sums;
      });
      device.store.replace(tensor, made);
    },
  };
}
