import { joinedSize, matrixSize, type Kernels, type Tensor } from "../kernels/index.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { columnsProgram, joinColumnsProgram, maxJoined } from "./wgsl/columns.ts";

type Pieces = "together" | "assign" | "columns" | "joinColumns";

/** Parts of matrices, and tensors that are used together: each tensor has memory of its own. */
export function pieceKernels(device: GpuDevice): Pick<Kernels, Pieces> {
  const { store } = device;
  const joinColumns = (parts: readonly Tensor[]): Tensor => {
    const [first, rest] = [parts.slice(0, maxJoined), parts.slice(maxJoined)];
    const joined = device.make(joinedSize(first), () => joinColumnsProgram(first.map((part) => device.data(part))));
    if (rest.length === 0) return joined;
    const whole = joinColumns([joined, ...rest]);
    store.free(joined);
    return whole;
  };
  return {
    together: (shapes) => shapes.map((shape) => device.zeros(shape)),
    assign(into, from) {
      const copies = from.map((tensor) => device.data(tensor).view());
      into.forEach((tensor, i) => store.replace(tensor, copies[i] as (typeof copies)[0]));
    },
    columns(x, start, count) {
      const [rows] = matrixSize(x);
      return device.make([rows, count], () => columnsProgram(device.data(x), start, count));
    },
    joinColumns,
  };
}
