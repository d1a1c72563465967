import type { GpuArray } from "../gpu-array.ts";

/** Fills a subgroup on every GPU. */
export const threads = 64;

/** The body of `main(index: i32)` and its declarations. */
export interface WgslProgram {
  /** Code may depend only on name, `constants` and buffer kinds. */
  readonly name: string;
  /** Default: none. */
  readonly constants?: Readonly<Record<string, number>>;
  readonly inputs: Readonly<Record<string, GpuArray>>;
  /** Inputs that are read four numbers at a time. Default: none. */
  readonly vectors?: readonly string[];
  /** Values named `uniforms.name`; 1 to 64 with `floats`. */
  readonly integers: Readonly<Record<string, number>>;
  /** Default: none. */
  readonly floats?: Readonly<Record<string, number>>;
  /** Default {@link threads}. */
  readonly groupSize?: number;
  /** A few more may run. */
  readonly groups: number;
  readonly code: string;
}

/** Folded into two dimensions. */
export const groupIndex = "i32((workgroupId.z * numWorkgroups.y + workgroupId.y) * numWorkgroups.x + workgroupId.x)";

interface ProgramParts {
  /** `const NAME`; `THREADS` is the workgroup size. */
  readonly constants: Readonly<Record<string, number>>;
  /** Ordered by binding, before the uniforms. */
  readonly buffers: readonly { readonly name: string; readonly written: boolean; readonly type: string }[];
  readonly integers: readonly string[];
  readonly floats: readonly string[];
  /** Declares `main(index: i32)`. */
  readonly code: string;
}

export function programSource({ constants, buffers, integers, floats, code }: ProgramParts): string {
  const fields = [...integers.map((name) => `${name} : i32`), ...floats.map((name) => `${name} : f32`)];
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
