import { sizeOf, type Kernels, type Tensor } from "../kernels/index.ts";
import type { WasmDevice } from "./wasm-device.ts";

/** Rows of what stays in memory between decode steps. */
export function rowWriteKernels(device: WasmDevice): Pick<Kernels, "pickRows" | "writeRows" | "advance"> {
  const { store } = device;
  const ints = (tensor: Tensor): Int32Array => {
    const { buffer, byteOffset, byteLength } = store.bytes(tensor);
    return new Int32Array(buffer, byteOffset, byteLength / 4);
  };
  const bytesOfRow = ({ shape }: Tensor): number => 4 * sizeOf(shape.slice(1));
  return {
    pickRows(x, rows) {
      const count = rows.shape[0] as number;
      device.expectIndices(rows, x.shape[0] as number, "pickRows: rows");
      const out = store.allocate([count, ...x.shape.slice(1)], x.dtype);
      const [from, to, width] = [store.bytes(x), store.bytes(out), bytesOfRow(x)];
      ints(rows).forEach((row, m) => to.set(from.subarray(row * width, (row + 1) * width), m * width));
      return out;
    },
    writeRows(into, rows, values) {
      device.expectIndices(rows, into.shape[0] as number, "writeRows: rows");
      store.makeWritable(into);
      const [from, to, width] = [store.bytes(values), store.bytes(into), bytesOfRow(into)];
      ints(rows).forEach((row, m) => to.set(from.subarray(m * width, (m + 1) * width), row * width));
    },
    advance(x, by) {
      store.makeWritable(x);
      const values = ints(x);
      values.forEach((value, i) => (values[i] = value + by));
    },
  };
}
