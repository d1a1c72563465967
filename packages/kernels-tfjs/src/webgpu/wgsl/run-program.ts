import { LaconicError } from "@laconic/core";
import { engine, type Tensor as TfTensor, type TensorInfo } from "@tensorflow/tfjs-core";
import { programSource } from "./program-source.ts";

/** Threads of a workgroup, the smallest number that fills a subgroup on every GPU. */
export const threads = 64;

/** A compute shader in WGSL: the body of `main(index: i32)` and what it declares. */
export interface WgslProgram {
  /** Names the shader; with `constants` and the kinds of its buffers, all that its code depends on. */
  readonly name: string;
  /** Numbers written into the code, as `const NAME`. */
  readonly constants: Readonly<Record<string, number>>;
  /** Buffers to read, by their name in the code; `vector` reads four numbers at a time, `halves` are of half precision, two in each. */
  readonly inputs: Readonly<
    Record<string, { readonly data: TfTensor; readonly vector?: boolean; readonly halves?: boolean }>
  >;
  /** Numbers that change from call to call, as `uniforms.name`. */
  readonly uniforms?: Readonly<Record<string, { readonly type: "int32" | "float32"; readonly value: number }>>;
  /** Threads of a workgroup, {@link threads} by default. */
  readonly groupSize?: number;
  /** Workgroups to start; a few more may run. */
  readonly groups: number;
  readonly code: string;
}

/** A tensor that a program makes: float32 by default. */
export interface Made {
  readonly shape: readonly number[];
  readonly dtype?: "float32" | "int32";
}

/** A WebGPU device's part here. */
export interface ComputeDevice {
  readonly limits: Readonly<Record<"maxComputeInvocationsPerWorkgroup" | "maxComputeWorkgroupStorageSize", number>>;
  createShaderModule(descriptor: { readonly code: string; readonly label: string }): object;
  createComputePipeline(descriptor: object): object;
}

/** What of TensorFlow.js's WebGPU backend is used here, inner parts among it: it has had no release since 4.22.0. */
export interface ProgramRunner {
  readonly device: ComputeDevice;
  readonly tensorMap: { get(dataId: object): { values: unknown; resource: unknown } };
  refCount(dataId: object): number;
  ensureCommandEncoderReady(): void;
  endComputePassEncoder(): void;
  /** Sends what was recorded; memory that was freed before it is idle from then on. */
  submitQueue(): void;
  readonly bufferManager: { readonly freeBuffers?: ReadonlyMap<string, { destroy(): void }[]> };
  makeTensorInfo(shape: readonly number[], dtype: "float32" | "int32"): TensorInfo;
  uploadToGPU(dataId: object): void;
  recordAndSubmit(
    program: object,
    output: TensorInfo,
    inputs: readonly TensorInfo[],
    uniforms: readonly { readonly type: string; readonly data: readonly number[] }[],
  ): void;
}

/** @throws LaconicError `device_unavailable` on a backend of another making */
export function programRunner(backend: unknown): ProgramRunner {
  const runner = backend as ProgramRunner;
  if (["recordAndSubmit", "uploadToGPU", "makeTensorInfo"].some((name) => !(name in runner)))
    throw new LaconicError(
      "device_unavailable",
      "this TensorFlow.js backend for WebGPU runs no shaders of others; install @tensorflow/tfjs-backend-webgpu 4.22.0",
      { device: "webgpu" },
    );
  return runner;
}

/** The number of the workgroup: long dispatches are folded into two dimensions. */
export const groupIndex = "i32((workgroupId.z * numWorkgroups.y + workgroupId.y) * numWorkgroups.x + workgroupId.x)";

/** Runs a program that writes `result`; it belongs to the caller, or to the tidy around. */
export function runProgram(runner: ProgramRunner, program: WgslProgram, shape: readonly number[]): TfTensor {
  return runForAll(runner, program, { result: { shape } }).result;
}

/** Runs a program that writes several new tensors, by their names in the code. */
export function runForAll<Name extends string>(
  runner: ProgramRunner,
  program: WgslProgram,
  outputs: Readonly<Record<Name, Made>>,
): Record<Name, TfTensor> {
  const written: Record<string, TensorInfo> = {};
  const made: Record<string, TfTensor> = {};
  for (const [name, { shape, dtype = "float32" }] of Object.entries<Made>(outputs)) {
    written[name] = runner.makeTensorInfo(shape, dtype);
    made[name] = engine().makeTensorFromTensorInfo(written[name]);
  }
  dispatch(runner, program, written);
  return made;
}

/** Runs a program that changes some numbers of `result` and leaves the others. */
export function runInPlace(runner: ProgramRunner, program: WgslProgram, result: TfTensor): void {
  runChanging(runner, program, { result });
}

/** Runs a program that changes tensors in their memory, by their names in the code. Nothing else may look at that memory. */
export function runChanging(
  runner: ProgramRunner,
  program: WgslProgram,
  changed: Readonly<Record<string, TfTensor>>,
): void {
  for (const { dataId } of Object.values(changed)) {
    runner.uploadToGPU(dataId);
    // What an earlier read kept of them.
    runner.tensorMap.get(dataId).values = null;
  }
  dispatch(runner, program, changed);
}

/** Gives back memory that the backend keeps for arrays of the same size. */
export function dropIdleMemory(runner: ProgramRunner): void {
  runner.ensureCommandEncoderReady();
  runner.endComputePassEncoder();
  runner.submitQueue();
  for (const idle of runner.bufferManager.freeBuffers?.values() ?? [])
    for (const buffer of idle.splice(0)) buffer.destroy();
}

/** Pipelines of each device, compiled once. */
const pipelines = new WeakMap<ComputeDevice, Map<string, object>>();

function pipelineOf({ device }: ProgramRunner, key: string, label: string, source: () => string): object {
  let ofDevice = pipelines.get(device);
  if (!ofDevice) pipelines.set(device, (ofDevice = new Map()));
  let pipeline = ofDevice.get(key);
  if (!pipeline) {
    const module = device.createShaderModule({ code: source(), label });
    pipeline = device.createComputePipeline({ compute: { module, entryPoint: "start" }, label, layout: "auto" });
    ofDevice.set(key, pipeline);
  }
  return pipeline;
}

/** Workgroups in one dimension of a dispatch that every adapter has. */
const maxGroups = 65_535;

function dispatch(
  runner: ProgramRunner,
  { name, constants, inputs, uniforms = {}, groups, groupSize = threads, code }: WgslProgram,
  written: Readonly<Record<string, TensorInfo>>,
): void {
  const given = Object.entries(inputs);
  const buffers = [
    ...Object.entries(written).map(([key, { dtype }]) => ({ name: key, written: true, type: typeOf(dtype) })),
    ...given.map(([key, { data, vector, halves }]) => ({
      name: key,
      written: false,
      type: halves ? (vector ? "vec2<u32>" : "u32") : typeOf(data.dtype, vector),
    })),
  ];
  const settings = { ...constants, THREADS: groupSize };
  const key = [name, ...Object.values(settings), ...buffers.map(({ type }) => type)].join(" ");
  const fields = Object.entries(uniforms);
  const label = `laconic ${name}`;
  const pipeline = pipelineOf(runner, key, label, () =>
    programSource({ constants: settings, buffers, uniforms: fields.map(([field, { type }]) => [field, type]), code }),
  );
  const columns = groups <= maxGroups ? groups : Math.ceil(Math.sqrt(groups));
  const [first, ...others] = [...Object.values(written), ...given.map(([, { data }]) => data)];
  for (const { dataId } of [first as TensorInfo, ...others]) runner.uploadToGPU(dataId);
  runner.recordAndSubmit(
    // Its kind of pixel program takes no uniforms of shapes, but the first output's strides.
    { pipeline, dispatch: [columns, Math.ceil(groups / columns), 1], pixelsOpType: 0 },
    { ...(first as TensorInfo), shape: [1] },
    others,
    fields.map(([, { type, value }]) => ({ type, data: [value] })),
  );
}

function typeOf(dtype: string, vector = false): string {
  const element = dtype === "float32" ? "f32" : "i32";
  return vector ? `vec4<${element}>` : element;
}
