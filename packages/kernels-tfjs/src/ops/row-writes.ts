import type { Kernels } from "@laconic/engine/kernels";
import { add, gather, scalar, tidy, zeros } from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";
import { scatterRows } from "./scatter-rows.ts";

/** Rows of what stays on the device between decode steps. */
export function rowWriteKernels(device: OpsDevice): Pick<Kernels, "pickRows" | "writeRows" | "advance"> {
  const { store } = device;
  return {
    pickRows(x, rows) {
      const { dtype, range } = store.get(x);
      const data = device.data(x);
      const count = rows.shape[0] as number;
      device.expectIndices(rows, x.shape[0] as number, "pickRows: rows");
      const kind = dtype === "int32" ? "int32" : "float32";
      const picked = count === 0 ? zeros([0, ...x.shape.slice(1)], kind) : tidy(() => gather(data, device.data(rows)));
      return dtype === "int32" ? store.adoptInts(picked, range) : store.adoptFloats(picked);
    },
    writeRows(into, rows, values) {
      const count = rows.shape[0] as number;
      device.expectIndices(rows, into.shape[0] as number, "writeRows: rows");
      if (count === 0) return;
      const [target, given] = [store.get(into), store.get(values)];
      const [least, most] = [target.range, given.range];
      store.replace(into, scatterRows(device.data(into), device.data(rows), device.data(values)));
      target.range = [Math.min(least[0], most[0]), Math.max(least[1], most[1])];
    },
    advance(x, by) {
      const held = store.get(x);
      if (x.shape[0] === 0) return;
      store.replace(
        x,
        tidy(() => add(held.data, scalar(by, "int32"))),
      );
      held.range = [held.range[0] + by, held.range[1] + by];
    },
  };
}
