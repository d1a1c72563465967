import type { GpuArray } from "../gpu-array.ts";
import { threads, type WgslProgram } from "./program.ts";

/** Adjacent elements belong to adjacent threads. */
const perThread = 4;

/**
 * @param name - identifies what `body` depends on besides inputs
 * @param body - WGSL that reads and writes at `i`
 */
export function elementwiseProgram(
  name: string,
  inputs: Readonly<Record<string, GpuArray>>,
  size: number,
  body: string,
  { integers, floats = {} }: Partial<Pick<WgslProgram, "integers" | "floats">> = {},
): WgslProgram {
  return {
    name,
    constants: { PER_THREAD: perThread },
    inputs,
    integers: { size, ...integers },
    floats,
    groups: Math.ceil(size / (threads * perThread)),
    code: `
fn main(index : i32) {
  let begin = index / THREADS * THREADS * PER_THREAD + index % THREADS;
  for (var n = 0; n < PER_THREAD; n++) {
    let i = begin + n * THREADS;
    if (i < uniforms.size) { ${body} }
  }
}`,
  };
}
