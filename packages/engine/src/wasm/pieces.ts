import { joinedSize, matrixSize, type Kernels, type Tensor } from "../kernels/index.ts";
import type { WasmDevice } from "./wasm-device.ts";

type Pieces = "together" | "assign" | "columns" | "joinColumns";

/** Parts of matrices, and tensors that are used together: each tensor has memory of its own. */
export function pieceKernels(device: WasmDevice): Pick<Kernels, Pieces> {
  const { store } = device;
  /** Copies `count` columns from one matrix to another, row by row. */
  const copyColumns = (from: Tensor, fromStart: number, to: Tensor, toStart: number, count: number): void => {
    const [rows, fromWidth] = from.shape as readonly [number, number];
    const toWidth = to.shape[1] as number;
    const [source, target] = [store.address(from) + 4 * fromStart, store.address(to) + 4 * toStart];
    const steps = { 0: 4 * fromWidth, 2: 4 * toWidth };
    const args = [source, 4 * fromWidth, target, 4 * toWidth, rows, count];
    device.divide({ countAt: 4, steps, cost: count / 2 }, "copyColumns", ...args);
  };
  return {
    together: (shapes) => shapes.map((shape) => store.zeros(shape)),
    assign(into, from) {
      into.forEach((tensor, i) => {
        store.makeWritable(tensor);
        store.bytes(tensor).set(store.bytes(from[i] as Tensor));
      });
    },
    columns(x, start, count) {
      const [rows] = matrixSize(x);
      const out = store.allocate([rows, count]);
      copyColumns(x, start, out, 0, count);
      return out;
    },
    joinColumns(parts) {
      const out = store.allocate(joinedSize(parts));
      let start = 0;
      for (const part of parts) {
        const width = part.shape[1] as number;
        copyColumns(part, 0, out, start, width);
        start += width;
      }
      return out;
    },
  };
}
