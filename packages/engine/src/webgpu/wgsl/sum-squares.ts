import type { GpuArray } from "../gpu-array.ts";
import { threads, type WgslProgram } from "./program.ts";

/** Numbers that a workgroup adds, unless there are very many. */
const perGroup = 4096;

/** Workgroups of a tensor, each of which writes one part. */
export function partsOf({ size }: GpuArray): number {
  return Math.min(threads, Math.ceil(size / perGroup));
}

const addAll = `
  shares[own] = share;
  workgroupBarrier();
  if (own == 0) {
    var sum = 0.0;
    for (var i = 0; i < THREADS; i++) { sum += shares[i]; }`;

/** Sums of squares of parts of a tensor, written from `first` on. */
export function sumSquaresProgram(values: GpuArray, first: number): WgslProgram {
  const groups = partsOf(values);
  return {
    name: "sum-squares",
    constants: {},
    inputs: { values: { data: values } },
    uniforms: {
      size: { type: "int32", value: values.size },
      groups: { type: "int32", value: groups },
      first: { type: "int32", value: first },
    },
    groups,
    code: `
var<workgroup> shares : array<f32, THREADS>;
fn main(index : i32) {
  let own = i32(localIndex);
  var share = 0.0;
  for (var i = index; i < uniforms.size; i += uniforms.groups * THREADS) { share += values[i] * values[i]; }
${addAll}
    result[uniforms.first + index / THREADS] = sum;
  }
}`,
  };
}

/** The sum of all parts, [1], in one workgroup. */
export function sumProgram(values: GpuArray): WgslProgram {
  return {
    name: "sum",
    constants: {},
    inputs: { values: { data: values } },
    uniforms: { size: { type: "int32", value: values.size } },
    groups: 1,
    code: `
var<workgroup> shares : array<f32, THREADS>;
fn main(index : i32) {
  let own = i32(localIndex);
  var share = 0.0;
  for (var i = own; i < uniforms.size; i += THREADS) { share += values[i]; }
${addAll}
    result[0] = sum;
  }
}`,
  };
}
