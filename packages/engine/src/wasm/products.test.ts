import { randomFromSeed } from "@laconic/core";
import type { Tensor } from "../kernels/index.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { openBinary, startHelper } from "#wasm";
import { ThreadPool } from "./thread-pool.ts";
import { WasmDevice } from "./wasm-device.ts";
import { WasmMemory } from "./wasm-memory.ts";

const random = randomFromSeed("products");
/** Rows, inner, outer: around the borders of strips, panels and blocks, and past the parts that are packed at once. */
const sizes = [
  [1, 1, 1],
  [6, 3, 9],
  [5, 64, 8],
  [17, 257, 45],
  [121, 30, 13],
  [250, 513, 4],
  [513, 5, 12],
  [3, 700, 2000],
  [2600, 700, 3],
] as const;

let device: WasmDevice;
beforeAll(async () => {
  const memory = await WasmMemory.open(await openBinary(false, {}));
  device = new WasmDevice(memory, new ThreadPool(memory, { threads: 1, start: startHelper }));
});

function normal(rows: number, columns: number): Float32Array {
  return Float32Array.from({ length: rows * columns }, () => random.normal());
}

function floats(tensor: Tensor): Float32Array {
  return new Float32Array(device.store.bytes(tensor).slice().buffer);
}

/** The sum of rounded products in order, rounded after each addition; whole blocks of `block` terms are summed apart. */
function inOrder(depth: number, left: (k: number) => number, right: (k: number) => number, block = Infinity): number {
  let total = 0;
  for (let start = 0; start < depth; start += block) {
    let sum = 0;
    for (let k = start; k < Math.min(depth, start + block); k++)
      sum = Math.fround(sum + Math.fround(left(k) * right(k)));
    total = Math.fround(total + sum);
  }
  return total;
}

describe.each(sizes)("%i rows, %i to %i: every element is the sum in order, to the bit", (rows, inner, outer) => {
  const [x, weight, dOut] = [normal(rows, inner), normal(outer, inner), normal(rows, outer)];
  const expectElements = (
    got: Float32Array,
    shape: readonly [number, number],
    of: (i: number, j: number) => number,
  ): void => {
    const [height, width] = shape;
    expect(got).toHaveLength(height * width);
    const places = Array.from({ length: 300 }, () => [random.integer(height), random.integer(width)] as const);
    places.push([0, 0], [height - 1, 0], [0, width - 1], [height - 1, width - 1]);
    expect(places.map(([i, j]) => got[i * width + j])).toEqual(places.map(([i, j]) => of(i, j)));
  };
  const at = (values: Float32Array, index: number): number => values[index] as number;
  const upload = (values: Float32Array, ...shape: number[]): Tensor => device.store.upload(values, shape);

  test("computes x weight^T", () => {
    device.store.scope(() => {
      const out = device.store.allocate([rows, outer]);
      const address = device.store.address(upload(x, rows, inner));
      device.products.forward(address, rows, upload(weight, outer, inner), device.store.address(out));
      expectElements(floats(out), [rows, outer], (i, j) =>
        inOrder(
          inner,
          (k) => at(x, i * inner + k),
          (k) => at(weight, j * inner + k),
        ),
      );
    });
  });

  test("computes dOut weight", () => {
    device.store.scope(() => {
      const dX = device.store.allocate([rows, inner]);
      const address = device.store.address(upload(dOut, rows, outer));
      device.products.back(address, rows, upload(weight, outer, inner), device.store.address(dX));
      expectElements(floats(dX), [rows, inner], (i, j) =>
        inOrder(
          outer,
          (k) => at(dOut, i * outer + k),
          (k) => at(weight, k * inner + j),
        ),
      );
    });
  });

  test("dOut^T x in blocks of 256 rows, and the same added to what is there", () => {
    device.store.scope(() => {
      const [left, right] = [upload(dOut, rows, outer), upload(x, rows, inner)].map((tensor) =>
        device.store.address(tensor),
      ) as [number, number];
      const dWeight = device.store.allocate([outer, inner]);
      device.products.transposed(left, right, rows, dWeight, true);
      const once = floats(dWeight);
      const of = (i: number, j: number): number =>
        inOrder(
          rows,
          (k) => at(dOut, k * outer + i),
          (k) => at(x, k * inner + j),
          256,
        );
      expectElements(once, [outer, inner], of);
      device.products.transposed(left, right, Math.min(rows, 256), dWeight, false);
      expectElements(floats(dWeight), [outer, inner], (i, j) => {
        const more = inOrder(
          Math.min(rows, 256),
          (k) => at(dOut, k * outer + i),
          (k) => at(x, k * inner + j),
        );
        return Math.fround(of(i, j) + more);
      });
    });
  });
});
