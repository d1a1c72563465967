import { engine, type Tensor as TfTensor, type TensorInfo } from "@tensorflow/tfjs-core";

/** Threads of a workgroup, the smallest number that fills a subgroup on every GPU. */
export const threads = 64;

/** A compute shader in WGSL: the body of `main(index: i32)` and what it declares. */
export interface WgslProgram {
  /** Names the shader; with `constants`, all that its code depends on. */
  readonly name: string;
  /** Numbers written into the code, as `const NAME`. */
  readonly constants: Readonly<Record<string, number>>;
  /** Buffers to read, by their name in the code; `vector` reads four floats at a time. */
  readonly inputs: Readonly<Record<string, { readonly data: TfTensor; readonly vector?: boolean }>>;
  /** Numbers that change from call to call, as `uniforms.name`. */
  readonly uniforms?: Readonly<Record<string, { readonly type: "int32" | "float32"; readonly value: number }>>;
  /** Workgroups of {@link threads} to start; a few more may run. */
  readonly groups: number;
  readonly code: string;
}

/** What of TensorFlow.js's WebGPU backend is used here. */
export interface ProgramRunner {
  runWebGPUProgram(
    program: object,
    inputs: readonly TensorInfo[],
    dtype: "float32",
    uniforms: readonly { readonly type: string; readonly data: readonly number[] }[],
    output?: TensorInfo,
  ): TensorInfo;
}

/** The number of the workgroup: TensorFlow.js folds long dispatches into two or three dimensions. */
export const groupIndex = "i32((workgroupId.z * numWorkgroups.y + workgroupId.y) * numWorkgroups.x + workgroupId.x)";

/** Runs a program into a new tensor; it belongs to the caller, or to the tidy around. */
export function runProgram(runner: ProgramRunner, program: WgslProgram, shape: readonly number[]): TfTensor {
  return engine().makeTensorFromTensorInfo(dispatch(runner, program, shape));
}

/** Runs a program that changes some numbers of a tensor and leaves the others. */
export function runInPlace(runner: ProgramRunner, program: WgslProgram, into: TfTensor): void {
  dispatch(runner, program, into.shape, into);
}

function dispatch(
  runner: ProgramRunner,
  { name, constants, inputs, uniforms = {}, groups, code }: WgslProgram,
  outputShape: readonly number[],
  into?: TfTensor,
): TensorInfo {
  const settings = Object.entries(constants).map(([key, value]) => `const ${key} : i32 = ${value};`);
  const buffers = Object.values(inputs);
  return runner.runWebGPUProgram(
    {
      outputShape,
      shaderKey: `laconic ${name} ${Object.values(constants).join(" ")}`,
      variableNames: Object.keys(inputs),
      variableComponents: buffers.map(({ vector }) => (vector ? 4 : 1)),
      outputComponent: 1,
      uniforms: Object.entries(uniforms)
        .map(([key, { type }]) => `${key} : ${type === "int32" ? "i32" : "f32"},`)
        .join(" "),
      workgroupSize: [threads, 1, 1],
      dispatch: [groups, 1, 1],
      dispatchLayout: { x: [0] },
      getUserCode: () => [...settings, code].join("\n"),
    },
    buffers.map(({ data }) => data),
    "float32",
    Object.values(uniforms).map(({ type, value }) => ({ type, data: [value] })),
    into,
  );
}
