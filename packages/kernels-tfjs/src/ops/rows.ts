import { matrixSize, type KernelFamily, joinedSize, sizeOf } from "@laconic/engine/kernels";
import * as tf from "@tensorflow/tfjs-core";
import type { Tensor1D, Tensor as TfTensor } from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";

export function rowKernels(device: OpsDevice): KernelFamily<"rows"> {
  return {
    gatherRows(table, ids) {
      const [, width] = matrixSize(table);
      const count = ids.shape[0] ?? 0;
      return device.make([count, width], () => tf.gather(device.data(table), device.data(ids)));
    },
    scatterAddRows(delta, ids, rowCount) {
      const [count, width] = matrixSize(delta);
      return device.make([rowCount, width], () =>
        count === 0
          ? tf.zeros([rowCount, width])
          : tf.unsortedSegmentSum(device.data(delta), device.data(ids) as Tensor1D, rowCount),
      );
    },
    placeRows({ tensor, add }, delta, ids) {
      const [rowCount, width] = matrixSize(tensor);
      const count = ids.shape[0] ?? 0;
      if (count === 0 && add) return;
      const made = tf.tidy((): TfTensor => {
        if (count === 0) return tf.zeros([rowCount, width]);
        const sums = tf.unsortedSegmentSum(device.data(delta), device.data(ids) as Tensor1D, rowCount);
        return add ? tf.add(device.data(tensor), sums) : sums;
      });
      device.store.replace(tensor, made);
    },
  };
}

export function rowWriteKernels(device: OpsDevice): KernelFamily<"rowWrites"> {
  const { store } = device;
  return {
    pickRows(x, rows) {
      const data = device.data(x);
      const count = rows.shape[0]!;
      const kind = x.dtype === "int32" ? "int32" : "float32";
      const chosen =
        count === 0 ? tf.zeros([0, ...x.shape.slice(1)], kind) : tf.tidy(() => tf.gather(data, device.data(rows)));
      return store.adoptLike(x, chosen);
    },
    writeRows(into, rows, values) {
      const count = rows.shape[0]!;
      if (count === 0) return;
      const [target, source] = [store.get(into), store.get(values)];
      const [least, most] = [target.range, source.range];
      store.replace(into, scatterRows(device.data(into), device.data(rows), device.data(values)));
      target.range = [Math.min(least[0], most[0]), Math.max(least[1], most[1])];
    },
    advance(x, by) {
      const held = store.get(x);
      if (x.shape[0] === 0) return;
      store.replace(
        x,
        tf.tidy(() => tf.add(held.data, tf.scalar(by, "int32"))),
      );
      held.range = [held.range[0] + by, held.range[1] + by];
    },
  };
}

export function scatterRows(data: TfTensor, rows: TfTensor, values: TfTensor): TfTensor {
  return tf.tidy(() => tf.tensorScatterUpdate(data, tf.expandDims(rows, 1), values));
}

/** Joins the nth results of all parts, for each of `count` results. */
export function joined(parts: readonly (readonly TfTensor[])[], count: number): TfTensor[] {
  return Array.from({ length: count }, (_, i) =>
    tf.concat(
      parts.map((part) => part[i]!),
      0,
    ),
  );
}

export function pieceKernels(device: OpsDevice): KernelFamily<"pieces"> {
  const { store } = device;
  return {
    together: (shapes) => shapes.map((shape) => store.adoptFloats(tf.zeros([...shape]))),
    assign(into, from) {
      const copies = from.map((tensor) => tf.clone(device.data(tensor)));
      into.forEach((tensor, i) => store.replace(tensor, copies[i]!));
    },
    columns(x, start, count) {
      const [rows] = matrixSize(x);
      return device.make([rows, count], () => tf.slice(device.data(x), [0, start], [rows, count]));
    },
    joinColumns(parts) {
      const shape = joinedSize(parts);
      if (sizeOf(shape) === 0) return store.adoptFloats(tf.zeros([...shape]));
      return device.make(shape, () =>
        tf.concat(
          parts.map((part) => device.data(part)),
          1,
        ),
      );
    },
  };
}

/** Picks one value per row: values [B, V], columns int32 [B] -> [B]. */
export function picked(values: TfTensor, columns: TfTensor): TfTensor {
  const [rows, width] = values.shape as [number, number];
  const places = tf.add(tf.mul(tf.range(0, rows, 1, "int32"), tf.scalar(width, "int32")), columns);
  return tf.gather(tf.reshape(values, [rows * width]), places);
}
