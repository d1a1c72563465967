import { matrixSize, type Kernels } from "@laconic/engine/kernels";
import { operator, type Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import { addInPlace } from "./products.ts";

const indexSelect = operator("aten::index_select");
const indexSelectInto = operator("aten::index_select", "out");
const scatterAdd = operator("aten::scatter_add_");
const embeddingBackward = operator("aten::embedding_dense_backward");

/**
 * Rows of a table by number.
 * @param ordered - whether gradients of a table add up in one order: by sorted rows, beside the table, not by atomic sums in it
 */
export function rowKernels(
  device: TorchDevice,
  ordered = true,
): Pick<Kernels, "gatherRows" | "scatterAddRows" | "placeRows"> {
  const { torch, store } = device;
  /** Added up in float32: many rows of bfloat16 would lose their digits. */
  const summed = (d: Handle, at: Handle, rowCount: number): Handle =>
    torch.call(embeddingBackward, device.widened(d), at, { int: rowCount }, { int: -1 }, { bool: false });
  return {
    gatherRows(table, ids) {
      const [rows, width] = matrixSize(table);
      const count = ids.shape[0] ?? 0;
      device.expectIndices(ids, rows, "gatherRows: rows");
      const [from, at] = [device.handle(table), device.indices(ids)];
      const { precision } = store.get(table);
      if (device.writesInPlace(count * width))
        return device.refill(
          [count, width],
          (out) => void torch.call(indexSelectInto, from, { int: 0 }, at, out),
          precision,
        );
      return device.make([count, width], () => torch.call(indexSelect, from, { int: 0 }, at), precision);
    },
    scatterAddRows(delta, ids, rowCount, precision = "working") {
      const [count, width] = matrixSize(delta);
      device.expectIndices(ids, rowCount, "scatterAddRows: rows");
      const [d, at] = [device.handle(delta), device.indices(ids)];
      return device.make(
        [rowCount, width],
        () => {
          if (count === 0) return torch.full([rowCount, width], device.type(precision), 0);
          const sums = summed(d, at, rowCount);
          return precision === "full" ? sums : device.rounded(sums);
        },
        precision,
      );
    },
    placeRows({ tensor, add }, delta, ids) {
      const [rowCount, width] = matrixSize(tensor);
      const count = ids.shape[0] ?? 0;
      device.expectIndices(ids, rowCount, "placeRows: rows");
      const [table, d, at] = [device.handle(tensor), device.handle(delta), device.indices(ids)];
      torch.run(() => {
        if (!add) torch.fill(table, 0);
        if (count === 0) return [];
        if (ordered && torch.device === "cuda") {
          const sums = summed(d, at, rowCount);
          addInPlace(device, table, sums, rowCount * width);
          return [];
        }
        const places = torch.view(at, [count, width], [1, 0]);
        torch.call(scatterAdd, table, { int: 0 }, places, device.widened(d));
        return [];
      });
      store.changed(store.get(tensor));
    },
  };
}
