import { matrixSize, type KernelFamily, type Tensor } from "../kernels/index.ts";
import type { GpuArray } from "./gpu-array.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { addRowsProgram, takeRowsProgram, putRowsProgram } from "./wgsl/rows.ts";
import { elementwiseProgram } from "./wgsl/elementwise.ts";

export function rowKernels(device: GpuDevice): KernelFamily<"rows"> {
  const addRows = (table: GpuArray, delta: Tensor, ids: Tensor): void =>
    device.runner.runInPlace(addRowsProgram(device.data(delta), device.data(ids)), table);
  return {
    gatherRows(table, ids) {
      const [, width] = matrixSize(table);
      const count = ids.shape[0] ?? 0;
      return device.make([count, width], () => takeRowsProgram(device.data(table), device.data(ids)));
    },
    scatterAddRows(delta, ids, rowCount) {
      const [, width] = matrixSize(delta);
      const made = device.zeros([rowCount, width]);
      addRows(made.data, delta, ids);
      return made;
    },
    placeRows({ tensor, add }, delta, ids) {
      const table = device.unshared(tensor);
      if (!add) device.runner.clear(table);
      addRows(table, delta, ids);
    },
  };
}

export function rowWriteKernels(device: GpuDevice): KernelFamily<"rowWrites"> {
  const { runner, store } = device;
  return {
    pickRows(x, rows) {
      const count = rows.shape[0]!;
      const data = device.data(x);
      const made = { shape: [count, ...x.shape.slice(1)], dtype: data.dtype };
      const { result } = runner.runForAll(takeRowsProgram(data, device.data(rows)), { result: made });
      return store.adoptLike(x, result);
    },
    writeRows(into, rows, values) {
      if (rows.shape[0] === 0) return;
      const [target, source] = [store.get(into), store.get(values)];
      // A tensor that is its source needs a copy.
      const read = device.data(values).view();
      runner.runInPlace(putRowsProgram(device.data(rows), read), device.unshared(into));
      read.dispose();
      const [least, most] = [target.range, source.range];
      target.range = [Math.min(least[0], most[0]), Math.max(least[1], most[1])];
    },
    advance(x, by) {
      const held = store.get(x);
      const data = device.unshared(x);
      const program = elementwiseProgram("advance", {}, data.size, "result[i] += uniforms.by;", { integers: { by } });
      runner.runInPlace(program, data);
      held.range = [held.range[0] + by, held.range[1] + by];
    },
  };
}
