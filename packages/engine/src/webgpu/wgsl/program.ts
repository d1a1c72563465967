import type { GpuArray } from "../gpu-array.ts";

/** Threads of a workgroup, the smallest number that fills a subgroup on every GPU. */
export const threads = 64;

/** A compute shader in WGSL: the body of `main(index: i32)` and what it declares. */
export interface WgslProgram {
  /** Names the shader; with `constants` and the kinds of its buffers, all that its code depends on. */
  readonly name: string;
  /** Numbers written into the code, as `const NAME`. */
  readonly constants: Readonly<Record<string, number>>;
  /** Buffers to read, by their name in the code; `vector` reads four numbers at a time. */
  readonly inputs: Readonly<Record<string, { readonly data: GpuArray; readonly vector?: boolean }>>;
  /** Numbers that change from call to call, as `uniforms.name`: one at least, 64 at most. */
  readonly uniforms: Readonly<Record<string, { readonly type: "int32" | "float32"; readonly value: number }>>;
  /** Threads of a workgroup, {@link threads} by default. */
  readonly groupSize?: number;
  /** Workgroups to start; a few more may run. */
  readonly groups: number;
  readonly code: string;
}

/** A whole number that a program reads. */
export function int(value: number): { readonly type: "int32"; readonly value: number } {
  return { type: "int32", value };
}

/** The number of the workgroup: long dispatches are folded into two dimensions. */
export const groupIndex = "i32((workgroupId.z * numWorkgroups.y + workgroupId.y) * numWorkgroups.x + workgroupId.x)";
