import { LaconicError } from "@laconic/core";
import type { AdamWTensors, Tensor } from "./contract.ts";
import { expectFloats, matrix } from "./shape-checks.ts";

/** @throws LaconicError `input_invalid` when the lists are not equally long, or a pair differs in shape. */
export function expectPairs(into: readonly Tensor[], from: readonly Tensor[], place: string): void {
  if (into.length !== from.length)
    throw new LaconicError("input_invalid", `${place}: ${from.length} tensors for ${into.length}`);
  into.forEach((tensor, i) => expectFloats(from[i] as Tensor, tensor.shape, `${place}: tensor ${i}`));
}

/** @throws LaconicError `input_invalid` when something that AdamW works with has another shape than its parameter. */
export function expectUpdates(tensors: readonly AdamWTensors[]): void {
  for (const { param, ...others } of tensors)
    for (const [name, tensor] of Object.entries(others)) expectFloats(tensor, param.shape, `adamW: ${name}`);
}

/** @returns rows and width of x @throws LaconicError `input_invalid` when it has no such columns. */
export function expectColumns(x: Tensor, start: number, count: number): readonly [rows: number, width: number] {
  const [rows, width] = matrix(x, "columns: x");
  expectFloats(x, [rows, width], "columns: x");
  if (!(start >= 0 && count > 0 && start + count <= width))
    throw new LaconicError("input_invalid", `columns: ${start} to ${start + count} of a matrix with ${width}`);
  return [rows, width];
}

/** @returns rows and width of the whole @throws LaconicError `input_invalid` when there is no part, or parts have other rows. */
export function expectJoined(parts: readonly Tensor[]): readonly [rows: number, width: number] {
  const [first] = parts;
  if (!first) throw new LaconicError("input_invalid", "joinColumns: no matrices");
  const [rows] = matrix(first, "joinColumns: part 0");
  let width = 0;
  for (const [i, part] of parts.entries()) {
    const [, columns] = matrix(part, `joinColumns: part ${i}`);
    expectFloats(part, [rows, columns], `joinColumns: part ${i}`);
    width += columns;
  }
  return [rows, width];
}
