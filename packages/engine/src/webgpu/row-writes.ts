import type { Kernels } from "../kernels/index.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { elementwiseProgram } from "./wgsl/elementwise.ts";
import { putRowsProgram, takeRowsProgram } from "./wgsl/rows.ts";

/** Rows of what stays on the device between decode steps. */
export function rowWriteKernels(device: GpuDevice): Pick<Kernels, "pickRows" | "writeRows" | "advance"> {
  const { runner, store } = device;
  return {
    pickRows(x, rows) {
      const { range } = store.get(x);
      const count = rows.shape[0] as number;
      device.expectIndices(rows, x.shape[0] as number, "pickRows: rows");
      const data = device.data(x);
      const made = { shape: [count, ...x.shape.slice(1)], dtype: data.dtype };
      const { result } = runner.runForAll(takeRowsProgram(data, device.data(rows)), { result: made });
      return x.dtype === "int32" ? store.adoptInts(result, range) : store.adoptFloats(result);
    },
    writeRows(into, rows, values) {
      device.expectIndices(rows, into.shape[0] as number, "writeRows: rows");
      if (rows.shape[0] === 0) return;
      const [target, given] = [store.get(into), store.get(values)];
      // A tensor may give rows to itself: what is read is then no longer what is written.
      const read = device.data(values).view();
      runner.runInPlace(putRowsProgram(device.data(rows), read), device.own(into));
      read.dispose();
      const [least, most] = [target.range, given.range];
      target.range = [Math.min(least[0], most[0]), Math.max(least[1], most[1])];
    },
    advance(x, by) {
      const held = store.get(x);
      const data = device.own(x);
      const program = elementwiseProgram("advance", {}, data.size, "result[i] += uniforms.by;");
      const uniforms = { ...program.uniforms, by: { type: "int32" as const, value: by } };
      runner.runInPlace({ ...program, uniforms }, data);
      held.range = [held.range[0] + by, held.range[1] + by];
    },
  };
}
