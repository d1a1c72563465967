import { joinedSize, matrixSize, sizeOf, type Kernels } from "@laconic/engine/kernels";
import { clone, concat, slice, zeros } from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";

type Pieces = "together" | "assign" | "columns" | "joinColumns";

/** Parts of matrices, and tensors that are used together: a TensorFlow.js tensor shares its memory with no part. */
export function pieceKernels(device: OpsDevice): Pick<Kernels, Pieces> {
  const { store } = device;
  return {
    together: (shapes) => shapes.map((shape) => store.adoptFloats(zeros([...shape]))),
    assign(into, from) {
      // Data never changes under a TensorFlow.js tensor, so a second one over the same data is a copy.
      const copies = from.map((tensor) => clone(device.data(tensor)));
      into.forEach((tensor, i) => store.replace(tensor, copies[i] as (typeof copies)[0]));
    },
    columns(x, start, count) {
      const [rows] = matrixSize(x);
      return device.make([rows, count], () => slice(device.data(x), [0, start], [rows, count]));
    },
    joinColumns(parts) {
      const shape = joinedSize(parts);
      if (sizeOf(shape) === 0) return store.adoptFloats(zeros([...shape]));
      return device.make(shape, () =>
        concat(
          parts.map((part) => device.data(part)),
          1,
        ),
      );
    },
  };
}
