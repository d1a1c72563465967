import { matrixSize, type KernelFamily, sizeOf } from "@laconic/engine/kernels";
import { aten, type Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import { addInPlace } from "./products.ts";
import { scalarType } from "../native/scalar-type.ts";

/**
 * Reads and writes rows by index.
 * @param ordered - sums table gradients by sorted rows, not by atomic sums
 */
export function rowKernels(device: TorchDevice, ordered = true): KernelFamily<"rows"> {
  const { torch, store } = device;
  /** Many bfloat16 rows would lose precision. */
  const summed = (d: Handle, index: Handle, rowCount: number): Handle =>
    torch.call(aten.embeddingBackward, device.widened(d), index, { int: rowCount }, { int: -1 }, { bool: false });
  return {
    gatherRows(table, ids) {
      const [, width] = matrixSize(table);
      const count = ids.shape[0] ?? 0;
      const [from, index] = [device.handle(table), device.indices(ids)];
      const { precision } = store.get(table);
      if (device.writesInPlace(count * width))
        return device.refill(
          [count, width],
          (out) => void torch.call(aten.indexSelectOut, from, { int: 0 }, index, out),
          precision,
        );
      return device.make([count, width], () => torch.selectRows(from, index), precision);
    },
    scatterAddRows(delta, ids, rowCount, precision = "working") {
      const [count, width] = matrixSize(delta);
      const [d, index] = [device.handle(delta), device.indices(ids)];
      return device.make(
        [rowCount, width],
        () => {
          if (count === 0) return torch.full([rowCount, width], device.type(precision), 0);
          const sums = summed(d, index, rowCount);
          return precision === "full" ? sums : device.rounded(sums);
        },
        precision,
      );
    },
    placeRows({ tensor, add }, delta, ids) {
      const [rowCount, width] = matrixSize(tensor);
      const count = ids.shape[0] ?? 0;
      const [table, d, index] = [device.handle(tensor), device.handle(delta), device.indices(ids)];
      torch.run(() => {
        if (!add) torch.fill(table, 0);
        if (count === 0) return;
        if (ordered && torch.device === "cuda") addInPlace(device, table, summed(d, index, rowCount), rowCount * width);
        else
          torch.call(aten.scatterAdd, table, { int: 0 }, torch.view(index, [count, width], [1, 0]), device.widened(d));
      });
      store.changed(store.get(tensor));
    },
  };
}

export function rowWriteKernels(device: TorchDevice): KernelFamily<"rowWrites"> {
  const { torch, store } = device;
  return {
    pickRows(x, rows) {
      const { handle, dtype, precision, range } = store.get(x);
      const count = rows.shape[0]!;
      const index = device.indices(rows);
      const shape = [count, ...x.shape.slice(1)];
      if (dtype === "float" && device.writesInPlace(sizeOf(shape)))
        return device.refill(
          shape,
          (out) => void torch.call(aten.indexSelectOut, handle, { int: 0 }, index, out),
          precision,
        );
      const picked = torch.run(() => torch.selectRows(handle, index));
      return dtype === "int32" ? store.adoptInts(picked, shape, range) : store.adoptFloats(picked, shape, precision);
    },
    writeRows(into, rows, values) {
      const [target, source] = [store.get(into), store.get(values)];
      const count = rows.shape[0]!;
      if (count === 0) return;
      const index = device.indices(rows);
      torch.run(() => {
        const type = target.dtype === "int32" ? scalarType.int32 : device.type(target.precision);
        const fitting = source.precision === target.precision ? source.handle : torch.cast(source.handle, type);
        torch.copyRows(target.handle, index, fitting);
      });
      const [least, most] = [target.range, source.range];
      if (count === into.shape[0]) store.changed(target, source.range);
      else store.changed(target, [Math.min(least[0], most[0]), Math.max(least[1], most[1])]);
    },
    advance(x, by) {
      const held = store.get(x);
      torch.run(() => {
        // The stable interface cannot pass the Scalar of integer sums.
        const wide = torch.cast(held.handle, device.widest);
        torch.copyInto(held.handle, torch.add(wide, torch.full([1], device.widest, by)));
      });
      const [least, most] = held.range;
      store.changed(held, [least + by, most + by]);
    },
  };
}
