import { matrixSize, type KernelFamily, type Kernels, sizeOf, type Tensor, joinedSize } from "../kernels/index.ts";
import type { WasmDevice } from "./wasm-device.ts";

type Rows = "gatherRows" | "scatterAddRows" | "placeRows" | "rmsNorm" | "rmsNormBackward" | "rotary";

export function rowKernels(device: WasmDevice): Pick<Kernels, Rows> {
  const { store } = device;
  return {
    gatherRows(table, ids) {
      const [, width] = matrixSize(table);
      const count = ids.shape[0] ?? 0;
      const out = store.allocate([count, width]);
      device.divideRows({ countAt: 3, width, rows: [2], numbers: [1] }, "gatherRows", table, ids, out, count, width);
      return out;
    },
    scatterAddRows(delta, ids, rowCount) {
      const [count, width] = matrixSize(delta);
      const out = store.zeros([rowCount, width]);
      device.run("scatterAddRows", delta, ids, out, count, width);
      return out;
    },
    placeRows({ tensor, add }, delta, ids) {
      const [, width] = matrixSize(tensor);
      const count = ids.shape[0] ?? 0;
      store.makeWritable(tensor);
      if (!add) store.bytes(tensor).fill(0);
      device.run("scatterAddRows", delta, ids, tensor, count, width);
    },
    rmsNorm(x, weight, epsilon) {
      const [rows, width] = matrixSize(x);
      const [out, invRms] = [store.allocate(x.shape), store.allocate([rows])];
      const split = { countAt: 4, width, rows: [0, 2], numbers: [3] };
      device.divideRows(split, "rmsNorm", x, weight, out, invRms, rows, width, epsilon);
      return { out, invRms };
    },
    rmsNormBackward(dOut, x, weight, invRms) {
      const [rows, width] = matrixSize(x);
      const [dX, dWeight] = [store.allocate(x.shape), store.zeros([width])];
      store.withScratch(width, (scratch) =>
        device.run("rmsNormBackward", dOut, x, weight, invRms, dX, dWeight, rows, width, scratch),
      );
      return { dX, dWeight };
    },
    rotary(x, { cos, sin }, positions, heads, inverse = false) {
      const [rows, width] = matrixSize(x);
      const [, half] = matrixSize(cos);
      const out = store.allocate([rows, width]);
      const split = { countAt: 5, width, rows: [0, 4], numbers: [3] };
      device.divideRows(split, "rotary", x, cos, sin, positions, out, rows, heads, half, inverse ? -1 : 1);
      return out;
    },
  };
}

export function rowWriteKernels(device: WasmDevice): KernelFamily<"rowWrites"> {
  const { store } = device;
  const bytesOfRow = ({ shape }: Tensor): number => 4 * sizeOf(shape.slice(1));
  return {
    pickRows(x, rows) {
      const count = rows.shape[0]!;
      const out = store.allocate([count, ...x.shape.slice(1)], x.dtype);
      const [from, to, width] = [store.bytes(x), store.bytes(out), bytesOfRow(x)];
      store.ints(rows).forEach((row, m) => to.set(from.subarray(row * width, (row + 1) * width), m * width));
      return out;
    },
    writeRows(into, rows, values) {
      store.makeWritable(into);
      const [from, to, width] = [store.bytes(values), store.bytes(into), bytesOfRow(into)];
      store.ints(rows).forEach((row, m) => to.set(from.subarray(m * width, (m + 1) * width), row * width));
    },
    advance(x, by) {
      store.makeWritable(x);
      const values = store.ints(x);
      values.forEach((value, i) => (values[i] = value + by));
    },
  };
}

/** Each tensor has separate memory. */
export function pieceKernels(device: WasmDevice): KernelFamily<"pieces"> {
  const { store } = device;
  const copyColumns = (from: Tensor, fromStart: number, to: Tensor, toStart: number, count: number): void => {
    const [rows, fromWidth] = from.shape as readonly [number, number];
    const toWidth = to.shape[1]!;
    const [source, target] = [store.address(from) + 4 * fromStart, store.address(to) + 4 * toStart];
    const steps = { 0: 4 * fromWidth, 2: 4 * toWidth };
    const args = [source, 4 * fromWidth, target, 4 * toWidth, rows, count];
    device.divide({ countAt: 4, steps, cost: count / 2 }, "copyColumns", ...args);
  };
  return {
    together: (shapes) => shapes.map((shape) => store.zeros(shape)),
    assign(into, from) {
      into.forEach((tensor, i) => {
        store.makeWritable(tensor);
        store.bytes(tensor).set(store.bytes(from[i]!));
      });
    },
    columns(x, start, count) {
      const [rows] = matrixSize(x);
      const out = store.allocate([rows, count]);
      copyColumns(x, start, out, 0, count);
      return out;
    },
    joinColumns(parts) {
      const out = store.allocate(joinedSize(parts));
      let start = 0;
      for (const part of parts) {
        const width = part.shape[1]!;
        copyColumns(part, 0, out, start, width);
        start += width;
      }
      return out;
    },
  };
}
