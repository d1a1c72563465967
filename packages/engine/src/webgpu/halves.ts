import { matrixSize, sizeOf, type Kernels } from "../kernels/index.ts";
import type { GpuArray } from "./gpu-array.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { lifetimeKernels } from "./lifetime.ts";
import { pieceKernels } from "./pieces.ts";
import { rowKernels } from "./rows.ts";
import { columnsProgram } from "./wgsl/columns.ts";
import { gatherHalvesProgram, narrowProgram } from "./wgsl/halves.ts";

type Halves = "together" | "assign" | "read" | "copy" | "reshape" | "columns" | "gatherRows";

/**
 * Weights in half precision: what `together` makes in working precision of two axes and more is rounded when it is assigned or
 * updated, and read as float32 by products and lookups. All else takes it as float32.
 */
export function halfKernels(device: GpuDevice): Pick<Kernels, Halves> {
  const { runner, store } = device;
  const pieces = pieceKernels(device);
  const lifetime = lifetimeKernels(device);
  const rows = rowKernels(device);
  const narrowed = (data: GpuArray): GpuArray =>
    runner.runForAll(narrowProgram(data), { result: { shape: [Math.ceil(data.size / 2)], dtype: "int32" } }).result;
  return {
    together: (shapes, precision) =>
      shapes.map((shape) =>
        precision === "full" || shape.length < 2 || sizeOf(shape) === 0
          ? device.zeros(shape)
          : store.adoptHalves(runner.zeros([Math.ceil(sizeOf(shape) / 2)], "int32"), shape),
      ),
    assign(into, from) {
      // A weight that was read from a file comes as float32: what the one before it took would stay for nothing.
      if (into.some((tensor) => store.get(tensor).halves)) runner.dropIdleMemory();
      const made = into.map((tensor, i) => {
        const [target, source] = [store.get(tensor), store.get(from[i] as typeof tensor)];
        if (target.halves === source.halves) return source.data.view();
        return target.halves ? narrowed(source.data) : device.widened(source);
      });
      into.forEach((tensor, i) => store.replace(tensor, made[i] as GpuArray));
    },
    async read(tensor) {
      const handle = store.get(tensor);
      if (!handle.halves) return lifetime.read(tensor);
      const wide = device.widened(handle);
      try {
        return await runner.read(wide);
      } finally {
        wide.dispose();
      }
    },
    copy(tensor, precision) {
      const handle = store.get(tensor);
      if (!handle.halves) return lifetime.copy(tensor, precision);
      if (precision === "full") return store.adoptFloats(device.widened(handle));
      return store.adoptHalves(handle.data.view(), handle.shape);
    },
    reshape(tensor, shape) {
      const handle = store.get(tensor);
      return handle.halves ? store.adoptHalves(handle.data.view(), shape) : lifetime.reshape(tensor, shape);
    },
    columns(x, start, count) {
      const handle = store.get(x);
      if (!handle.halves) return pieces.columns(x, start, count);
      const [height] = matrixSize(x);
      const wide = device.widened(handle);
      const made = device.make([height, count], () => columnsProgram(wide, start, count));
      wide.dispose();
      return made;
    },
    gatherRows(table, ids) {
      const handle = store.get(table);
      if (!handle.halves) return rows.gatherRows(table, ids);
      const [height, width] = handle.shape as [number, number];
      const count = ids.shape[0] ?? 0;
      device.expectIndices(ids, height, "gatherRows: rows");
      return device.make([count, width], () => gatherHalvesProgram(handle.data, device.data(ids), width));
    },
  };
}
