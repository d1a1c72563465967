import { LaconicError } from "@laconic/core";
import { expectFloats, matrix, type RotaryTables, type Tensor } from "@laconic/kernels";

/** @throws LaconicError `input_invalid` unless the tables are of one shape, and the heads fill the rows of x [N, heads * headDim] */
export function expectRotary(
  x: Tensor,
  { cos, sin }: RotaryTables,
  heads: number,
): { readonly rows: number; readonly width: number; readonly count: number; readonly half: number } {
  const [rows, width] = matrix(x, "rotary: x");
  const [count, half] = matrix(cos, "rotary: cos");
  expectFloats(sin, [count, half], "rotary: sin");
  if (width !== heads * 2 * half)
    throw new LaconicError("input_invalid", `rotary: ${heads} heads of ${2 * half} do not fill a width of ${width}`);
  return { rows, width, count, half };
}
