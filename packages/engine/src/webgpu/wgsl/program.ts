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

interface ProgramParts {
  /** As `const NAME`; `THREADS` is the size of a workgroup. */
  readonly constants: Readonly<Record<string, number>>;
  /** In the order of their bindings, before the uniforms. */
  readonly buffers: readonly { readonly name: string; readonly written: boolean; readonly type: string }[];
  readonly uniforms: readonly (readonly [name: string, type: "int32" | "float32"])[];
  /** Declares `main(index: i32)`. */
  readonly code: string;
}

/** The WGSL of a program with entry point `start`. Node and browsers run the same text. */
export function programSource({ constants, buffers, uniforms, code }: ProgramParts): string {
  const fields = uniforms.map(([name, type]) => `${name} : ${type === "int32" ? "i32" : "f32"}`);
  return `${Object.entries(constants)
    .map(([key, value]) => `const ${key} : i32 = ${value};`)
    .join("\n")}
struct Uniforms { ${fields.join(", ")} }
${buffers
  .map(
    ({ name, written, type }, i) =>
      `@group(0) @binding(${i}) var<storage, ${written ? "read_write" : "read"}> ${name} : array<${type}>;`,
  )
  .join("\n")}
@group(0) @binding(${buffers.length}) var<uniform> uniforms : Uniforms;
var<private> localIndex : u32;
var<private> workgroupId : vec3<u32>;
var<private> numWorkgroups : vec3<u32>;
${code}
@compute @workgroup_size(THREADS)
fn start(
  @builtin(local_invocation_index) thread : u32,
  @builtin(workgroup_id) group : vec3<u32>,
  @builtin(num_workgroups) groups : vec3<u32>,
) {
  // What the code does not use belongs to the layout all the same.
  _ = &uniforms;
${buffers.map(({ name }) => `  _ = &${name};`).join("\n")}
  localIndex = thread;
  workgroupId = group;
  numWorkgroups = groups;
  main(i32(((group.z * groups.y + group.y) * groups.x + group.x) * u32(THREADS) + thread));
}
`;
}
