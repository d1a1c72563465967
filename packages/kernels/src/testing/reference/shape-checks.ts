import { LaconicError } from "@laconic/core";
import type { AttentionShape, Tensor } from "../../contract.ts";
import type { Matrix } from "./matrix.ts";

/** @throws LaconicError `input_invalid` unless the tensor has exactly this shape. */
export function expectShape(tensor: Tensor, shape: readonly number[], what: string): void {
  if (tensor.shape.length !== shape.length || tensor.shape.some((length, axis) => length !== shape[axis]))
    throw new LaconicError(
      "input_invalid",
      `${what}: shape [${tensor.shape.join(", ")}] does not fit [${shape.join(", ")}]`,
    );
}

/** Queries, keys and values of `rows` rows that fit the heads. */
export function checkHeads(
  rows: number,
  { queryHeads, kvHeads, headDim }: AttentionShape,
  { q, k, v }: { readonly q: Tensor; readonly k: Tensor; readonly v: Tensor },
  what: string,
): void {
  if (queryHeads % kvHeads !== 0)
    throw new LaconicError(
      "input_invalid",
      `${what}: ${kvHeads} key/value heads do not divide ${queryHeads} query heads`,
    );
  expectShape(q, [rows, queryHeads * headDim], `${what}: q`);
  expectShape(k, [rows, kvHeads * headDim], `${what}: k`);
  expectShape(v, [rows, kvHeads * headDim], `${what}: v`);
}

/** Hidden rows, their head, and one target and temperature per row. */
export function checkHead(
  hidden: Matrix,
  weight: Matrix,
  targets: Tensor,
  inverseTemperature: Tensor,
  what: string,
): void {
  if (hidden.columns !== weight.columns)
    throw new LaconicError(
      "input_invalid",
      `${what}: hidden has ${hidden.columns} columns, the weight ${weight.columns}`,
    );
  expectShape(targets, [hidden.rows], `${what}: targets`);
  expectShape(inverseTemperature, [hidden.rows], `${what}: inverseTemperature`);
}
