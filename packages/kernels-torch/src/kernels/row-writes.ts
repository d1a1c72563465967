import { sizeOf, type Kernels } from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { operator } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";

const indexSelect = operator("aten::index_select");
const indexSelectInto = operator("aten::index_select", "out");
const indexCopy = operator("aten::index_copy_");

/** Rows of what stays on the device between decode steps. */
export function rowWriteKernels(device: TorchDevice): Pick<Kernels, "pickRows" | "writeRows" | "advance"> {
  const { torch, store } = device;
  return {
    pickRows(x, rows) {
      const { handle, dtype, precision, range } = store.get(x);
      const count = rows.shape[0] as number;
      device.expectIndices(rows, x.shape[0] as number, "pickRows: rows");
      const at = device.indices(rows);
      const shape = [count, ...x.shape.slice(1)];
      if (dtype === "float" && device.writesInPlace(sizeOf(shape)))
        return device.refill(shape, (out) => void torch.call(indexSelectInto, handle, { int: 0 }, at, out), precision);
      const picked = torch.run(() => torch.call(indexSelect, handle, { int: 0 }, at));
      return dtype === "int32" ? store.adoptInts(picked, shape, range) : store.adoptFloats(picked, shape, precision);
    },
    writeRows(into, rows, values) {
      const [target, given] = [store.get(into), store.get(values)];
      const count = rows.shape[0] as number;
      device.expectIndices(rows, into.shape[0] as number, "writeRows: rows");
      if (count === 0) return;
      const at = device.indices(rows);
      torch.run(() => {
        const type = target.dtype === "int32" ? scalarType.int32 : device.type(target.precision);
        const fitting = given.precision === target.precision ? given.handle : torch.cast(given.handle, type);
        torch.call(indexCopy, target.handle, { int: 0 }, at, fitting);
        return [];
      });
      const [least, most] = [target.range, given.range];
      // Of the old values none is left where every row is written.
      if (count === into.shape[0]) store.changed(target, given.range);
      else store.changed(target, [Math.min(least[0], most[0]), Math.max(least[1], most[1])]);
    },
    advance(x, by) {
      const held = store.get(x);
      torch.run(() => {
        // Sums of integers take a factor as a Scalar, which the stable interface cannot pass.
        const wide = torch.cast(held.handle, device.widest);
        torch.copyInto(held.handle, torch.add(wide, torch.full([1], device.widest, by)));
        return [];
      });
      const [least, most] = held.range;
      store.changed(held, [least + by, most + by]);
    },
  };
}
