import type { GpuArray } from "./gpu-array.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { productProgram, tileFor, type Product } from "./wgsl/product.ts";

/** A product into a new tensor, [rows, columns]. */
export function product({ runner }: GpuDevice, given: Product): GpuArray {
  const { rows, columns } = given;
  const tile = tileFor(runner.limits, rows, columns);
  return runner.run(productProgram(given, tile), [rows, columns]);
}

/** A product into part of a tensor, or added to it. */
export function productInto({ runner }: GpuDevice, given: Product, result: GpuArray): void {
  runner.runInPlace(productProgram(given, tileFor(runner.limits, given.rows, given.columns)), result);
}
