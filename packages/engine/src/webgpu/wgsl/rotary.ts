import type { GpuArray } from "../gpu-array.ts";
import { threads, type WgslProgram } from "./program.ts";

/** A thread turns one pair of a head, i against i + half. */
export function rotaryProgram(
  { x, cos, sin, positions }: Readonly<Record<"x" | "cos" | "sin" | "positions", GpuArray>>,
  heads: number,
  inverse: boolean,
): WgslProgram {
  const [rows] = x.shape as [number];
  const half = cos.shape[1] as number;
  const pairs = rows * heads * half;
  return {
    name: "rotary",
    constants: {},
    inputs: { x: { data: x }, cos: { data: cos }, sin: { data: sin }, positions: { data: positions } },
    uniforms: {
      pairs: { type: "int32", value: pairs },
      heads: { type: "int32", value: heads },
      half: { type: "int32", value: half },
      turn: { type: "float32", value: inverse ? -1 : 1 },
    },
    groups: Math.ceil(pairs / threads),
    code: `
fn main(index : i32) {
  if (index < uniforms.pairs) {
    let head = index / uniforms.half;
    let i = index % uniforms.half;
    let at = positions[head / uniforms.heads] * uniforms.half + i;
    let s = sin[at] * uniforms.turn;
    let low = x[head * 2 * uniforms.half + i];
    let high = x[(head * 2 + 1) * uniforms.half + i];
    result[head * 2 * uniforms.half + i] = low * cos[at] - high * s;
    result[(head * 2 + 1) * uniforms.half + i] = high * cos[at] + low * s;
  }
}`,
  };
}
