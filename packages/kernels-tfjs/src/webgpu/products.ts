import type { Tensor as TfTensor } from "@tensorflow/tfjs-core";
import type { GpuDevice } from "./gpu-device.ts";
import { productProgram, tileFor, type Product } from "./wgsl/product.ts";
import { runInPlace, runProgram } from "./wgsl/run-program.ts";

/** A product into a new tensor, [rows, columns]. */
export function product({ runner }: GpuDevice, given: Product): TfTensor {
  const { rows, columns } = given;
  const tile = tileFor(runner.device.limits, rows, columns);
  return runProgram(runner, productProgram(given, tile), [rows, columns]);
}

/** A product into part of a tensor, or added to it. */
export function productInto({ runner }: GpuDevice, given: Product, result: TfTensor): void {
  runInPlace(runner, productProgram(given, tileFor(runner.device.limits, given.rows, given.columns)), result);
}
