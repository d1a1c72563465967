import { matrixSize, sizeOf, type Kernels } from "@laconic/kernels";
import { clone, slice, type Tensor as TfTensor } from "@tensorflow/tfjs-core";
import { pieceKernels } from "../ops/pieces.ts";
import { lifetimeKernels } from "../ops/lifetime.ts";
import { rowKernels } from "../ops/rows.ts";
import { blankTensor, type GpuDevice } from "./gpu-device.ts";
import { elementwiseProgram } from "./wgsl/elementwise.ts";
import { gatherHalvesProgram, narrowProgram, widenProgram } from "./wgsl/halves.ts";
import { dropIdleMemory, runForAll, runInPlace, runProgram, type ProgramRunner } from "./wgsl/run-program.ts";

type Halves = "together" | "assign" | "read" | "copy" | "reshape" | "columns" | "gatherRows";

/** Numbers of half precision as float32. */
export function widenOn(runner: ProgramRunner): (halves: TfTensor, shape: readonly number[]) => TfTensor {
  return (halves, shape) => runProgram(runner, widenProgram(halves, sizeOf(shape)), shape);
}

/**
 * Weights in half precision: what `together` makes in working precision of two axes and more is rounded when it is assigned or
 * updated, and read as float32 by products and lookups. All else takes it as float32.
 */
export function halfKernels(device: GpuDevice): Pick<Kernels, Halves> {
  const { ops, runner } = device;
  const { store } = ops;
  const pieces = pieceKernels(ops);
  const lifetime = lifetimeKernels(ops);
  const rows = rowKernels(ops);
  const narrowed = (data: TfTensor): TfTensor =>
    runForAll(runner, narrowProgram(data), { result: { shape: [Math.ceil(data.size / 2)], dtype: "int32" } }).result;
  const zeros = (shape: readonly number[]): TfTensor => {
    const data = blankTensor(runner, [Math.ceil(sizeOf(shape) / 2)], "int32");
    runInPlace(runner, elementwiseProgram("clear", {}, data.size, "result[i] = 0;"), data);
    return data;
  };
  return {
    together: (shapes, precision) =>
      shapes.map((shape) =>
        precision === "full" || shape.length < 2 || sizeOf(shape) === 0
          ? device.blank(shape, true)
          : store.adoptHalves(zeros(shape), shape),
      ),
    assign(into, from) {
      // A weight that was read from a file comes as float32: what the one before it took would stay for nothing.
      if (into.some((tensor) => store.get(tensor).halves)) dropIdleMemory(runner);
      const made = into.map((tensor, i) => {
        const [target, source] = [store.get(tensor), store.get(from[i] as typeof tensor)];
        if (target.halves === source.halves) return clone(source.data);
        return target.halves ? narrowed(source.data) : ops.widened(source);
      });
      into.forEach((tensor, i) => store.replace(tensor, made[i] as TfTensor));
    },
    async read(tensor) {
      const handle = store.get(tensor);
      if (!handle.halves) return lifetime.read(tensor);
      const wide = store.adoptFloats(ops.widened(handle));
      try {
        return await lifetime.read(wide);
      } finally {
        store.free(wide);
      }
    },
    copy(tensor, precision) {
      const handle = store.get(tensor);
      if (!handle.halves) return lifetime.copy(tensor, precision);
      if (precision === "full") return store.adoptFloats(ops.widened(handle));
      return store.adoptHalves(clone(handle.data), handle.shape);
    },
    reshape(tensor, shape) {
      const handle = store.get(tensor);
      if (!handle.halves || sizeOf(shape) !== sizeOf(handle.shape)) return lifetime.reshape(tensor, shape);
      return store.adoptHalves(clone(handle.data), shape);
    },
    columns(x, start, count) {
      const handle = store.get(x);
      if (!handle.halves) return pieces.columns(x, start, count);
      const [height] = matrixSize(x);
      return ops.make([height, count], () => slice(ops.widened(handle), [0, start], [height, count]));
    },
    gatherRows(table, ids) {
      const handle = store.get(table);
      if (!handle.halves) return rows.gatherRows(table, ids);
      const [height, width] = handle.shape as [number, number];
      const count = ids.shape[0] ?? 0;
      ops.expectIndices(ids, height, "gatherRows: rows");
      return device.make([count, width], () => gatherHalvesProgram(handle.data, device.data(ids), width));
    },
  };
}
