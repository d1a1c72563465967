import type { GpuArray } from "../gpu-array.ts";

/** Fills a subgroup on every GPU. */
export const threads = 64;

/** The body of `main(index: i32)` and its declarations. */
export interface WgslProgram {
  /** Code may depend only on name, `constants` and buffer kinds. */
  readonly name: string;
  /** Default: none. */
  readonly constants?: Readonly<Record<string, number>>;
  /** `vector` reads four numbers at a time. */
  readonly inputs: Readonly<Record<string, { readonly data: GpuArray; readonly vector?: boolean }>>;
  /** Values named `uniforms.name`; 1 to 64. */
  readonly uniforms: Readonly<Record<string, { readonly type: "int32" | "float32"; readonly value: number }>>;
  /** Default {@link threads}. */
  readonly groupSize?: number;
  /** A few more may run. */
  readonly groups: number;
  readonly code: string;
}

export function int(value: number): { readonly type: "int32"; readonly value: number } {
  return { type: "int32", value };
}

/** Folded into two dimensions. */
export const groupIndex = "i32((workgroupId.z * numWorkgroups.y + workgroupId.y) * numWorkgroups.x + workgroupId.x)";

interface ProgramParts {
  /** `const NAME`; `THREADS` is the workgroup size. */
  readonly constants: Readonly<Record<string, number>>;
  /** Ordered by binding, before the uniforms. */
  readonly buffers: readonly { readonly name: string; readonly written: boolean; readonly type: string }[];
  readonly uniforms: readonly (readonly [name: string, type: "int32" | "float32"])[];
  /** Declares `main(index: i32)`. */
  readonly code: string;
}

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
